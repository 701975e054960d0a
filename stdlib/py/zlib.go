package py

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"io"

	"github.com/larkspur-ml/larkspur/lang/value"
)

var zlibError = value.NewClass("error", "zlib", value.ExcException)

// zlibModule makes zlib: bytes compressed and back in one call. Go's compressor chooses other
// matches than zlib does, so compressed bytes differ from CPython's; they hold the same.
func (l *Library) zlibModule() *value.Module {
	m := value.NewModule("zlib")
	m.Doc = "Bytes compressed by DEFLATE (RFC 1950 to 1952)."
	m.Set("error", zlibError.Value())
	for name, v := range map[string]int64{"MAX_WBITS": 15, "DEFLATED": 8, "DEF_MEM_LEVEL": 8, "Z_BEST_COMPRESSION": 9, "Z_BEST_SPEED": 1,
		"Z_DEFAULT_COMPRESSION": -1, "Z_DEFAULT_STRATEGY": 0, "Z_NO_COMPRESSION": 0} {
		m.Set(name, value.Int(v))
	}
	crc := func(sum func(old uint32, b []byte) uint32, start int64) impl {
		return func(t *thread, a []val) (val, error) {
			b, err := wantBytes(a[0])
			if err != nil {
				return val{}, err
			}
			v, err := intOr(t, a[1], start)
			return value.Int(int64(sum(uint32(v), b))), err
		}
	}
	put(m,
		fn("crc32(data, value=0, /)", crc(func(old uint32, b []byte) uint32 { return crc32.Update(old, crc32.IEEETable, b) }, 0)),
		fn("adler32(data, value=1, /)", crc(func(old uint32, b []byte) uint32 {
			if old == 1 {
				return adler32.Checksum(b)
			}
			return adlerUpdate(old, b)
		}, 1)),
		fn("compress(data, /, level=-1, wbits=15)", func(t *thread, a []val) (val, error) {
			b, err := wantBytes(a[0])
			if err != nil {
				return val{}, err
			}
			level, err := intOr(t, a[1], -1)
			if err != nil {
				return val{}, err
			}
			if level < -1 || level > 9 {
				return val{}, value.Errorf(zlibError, "Bad compression level")
			}
			wbits, err := intOr(t, a[2], 15)
			if err != nil {
				return val{}, err
			}
			var out bytes.Buffer
			var w io.WriteCloser
			switch {
			case wbits < 0:
				w, err = flate.NewWriter(&out, int(level))
			case wbits > 15:
				w, err = gzip.NewWriterLevel(&out, int(level))
			default:
				w, err = zlib.NewWriterLevel(&out, int(level))
			}
			if err != nil {
				return val{}, value.Errorf(zlibError, "%s", err)
			}
			if stop := t.Aside(func() {
				if _, err = w.Write(b); err == nil {
					err = w.Close()
				}
			}); stop != nil {
				return val{}, stop
			}
			if err != nil {
				return val{}, value.Errorf(zlibError, "%s", err)
			}
			return value.BytesOf(out.Bytes()), nil
		}),
		fn("decompress(data, /, wbits=15, bufsize=16384)", func(t *thread, a []val) (val, error) {
			b, err := wantBytes(a[0])
			if err != nil {
				return val{}, err
			}
			wbits, err := intOr(t, a[1], 15)
			if err != nil {
				return val{}, err
			}
			r, err := inflater(b, wbits)
			var out []byte
			if err == nil {
				// What comes out may be far longer than what goes in: it is counted as it grows.
				for {
					if err = t.RoomFor(int64(len(out)) / 16); err != nil {
						return val{}, err
					}
					var part []byte
					part, err = io.ReadAll(io.LimitReader(r, 16<<20))
					out = append(out, part...)
					if err != nil || len(part) == 0 {
						break
					}
				}
			}
			switch {
			case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
				return val{}, value.Errorf(zlibError, "Error -5 while decompressing data: incomplete or truncated stream")
			case errors.Is(err, zlib.ErrHeader), errors.Is(err, gzip.ErrHeader):
				return val{}, value.Errorf(zlibError, "Error -3 while decompressing data: incorrect header check")
			case errors.Is(err, zlib.ErrChecksum), errors.Is(err, gzip.ErrChecksum):
				return val{}, value.Errorf(zlibError, "Error -3 while decompressing data: incorrect data check")
			case err != nil:
				return val{}, value.Errorf(zlibError, "Error -3 while decompressing data: %s", err)
			}
			return value.BytesOf(out), nil
		}),
	)
	return m
}

// inflater reads one of the formats: raw (wbits < 0), gzip (16 and up), either of the two others (32 and up), or zlib's.
func inflater(b []byte, wbits int64) (io.Reader, error) {
	src := bytes.NewReader(b)
	switch {
	case wbits < 0:
		return flate.NewReader(src), nil
	case wbits >= 32 && len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b, wbits >= 16 && wbits < 32:
		return gzip.NewReader(src)
	}
	return zlib.NewReader(src)
}
