package py

import (
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/value"
)

var hashers = map[string]struct {
	make  func() hash.Hash
	block int
}{
	"md5": {md5.New, 64}, "sha1": {sha1.New, 64}, "sha224": {sha256.New224, 64}, "sha256": {sha256.New, 64},
	"sha384": {sha512.New384, 128}, "sha512": {sha512.New, 128},
	"sha3_224": {func() hash.Hash { return sha3.New224() }, 144}, "sha3_256": {func() hash.Hash { return sha3.New256() }, 136},
	"sha3_384": {func() hash.Hash { return sha3.New384() }, 104}, "sha3_512": {func() hash.Hash { return sha3.New512() }, 72},
	"blake2b": {func() hash.Hash { return newBlake2(true, 64, nil, nil, nil) }, 128},
	"blake2s": {func() hash.Hash { return newBlake2(false, 32, nil, nil, nil) }, 64},
}

// shakes are the hashes whose digests have any length.
var shakes = map[string]func() *sha3.SHAKE{"shake_128": sha3.NewSHAKE128, "shake_256": sha3.NewSHAKE256}

// shake is such a hash as a hash.Hash; Sum is not used.
type shake struct{ *sha3.SHAKE }

func (s shake) Sum(b []byte) []byte { return b }
func (s shake) Size() int           { return 0 }

// read is the first n bytes of the digest.
func (s shake) read(n int) []byte {
	state, err := s.MarshalBinary()
	if err != nil {
		panic("BUG: the state of a SHAKE: " + err.Error())
	}
	c := sha3.NewSHAKE128()
	if err := c.UnmarshalBinary(state); err != nil {
		c = sha3.NewSHAKE256()
		if err := c.UnmarshalBinary(state); err != nil {
			panic("BUG: the state of a SHAKE: " + err.Error())
		}
	}
	out := make([]byte, n)
	c.Read(out)
	return out
}

// digest is the state of a hash object.
type digest struct {
	name string
	h    hash.Hash
}

var hashClass = value.NewClass("HASH", "_hashlib")

func init() {
	on := func(sig string, f func(t *thread, d *digest, a []val) (val, error)) *value.Builtin {
		return method(sig, func(t *thread, a []val) (val, error) {
			d, ok := native[*digest](a[0])
			if !ok {
				return val{}, value.TypeErrorf("a hash object is required, not '%s'", typeName(a[0]))
			}
			return f(t, d, a[1:])
		})
	}
	hashClass.Slots = &value.Slots{
		New: func(t *thread, cls *value.Class, args []val, kw []value.Kwarg) (val, error) {
			return val{}, value.TypeErrorf("cannot create '_hashlib.HASH' instances")
		},
		Repr: func(t *thread, x val) (string, error) {
			d, _ := native[*digest](x)
			return fmt.Sprintf("<%s _hashlib.HASH object>", d.name), nil
		},
	}
	hashClass.Def(
		on("update(data, /)", func(t *thread, d *digest, a []val) (val, error) { return value.None, d.write(a[0]) }),
		on("digest(length=0)", func(t *thread, d *digest, a []val) (val, error) {
			b, err := d.sum(t, "digest", a[0])
			return value.BytesOf(b), err
		}),
		on("hexdigest(length=0)", func(t *thread, d *digest, a []val) (val, error) {
			b, err := d.sum(t, "hexdigest", a[0])
			return value.Str(hex.EncodeToString(b)), err
		}),
		on("copy()", func(t *thread, d *digest, a []val) (val, error) {
			if b, ok := d.h.(*blake2); ok {
				return object(hashClass, &digest{d.name, b.copy()}), nil
			}
			state, err := d.h.(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				return val{}, value.RuntimeErrorf("%s", err)
			}
			n := &digest{name: d.name}
			if mk, ok := shakes[d.name]; ok {
				n.h = shake{mk()}
			} else {
				n.h = hashers[d.name].make()
			}
			if err := n.h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
				return val{}, value.RuntimeErrorf("%s", err)
			}
			return object(hashClass, n), nil
		}),
	)
	attr := func(name string, f func(d *digest) val) {
		getter(hashClass, name, func(t *thread, self val) (val, error) {
			d, ok := native[*digest](self)
			if !ok {
				return val{}, value.TypeErrorf("a hash object is required")
			}
			return f(d), nil
		})
	}
	attr("name", func(d *digest) val { return value.Str(d.name) })
	attr("digest_size", func(d *digest) val { return value.Int(int64(d.h.Size())) })
	attr("block_size", func(d *digest) val { return value.Int(int64(d.h.BlockSize())) })
}

// sum is the digest; those of any length must be told theirs.
func (d *digest) sum(t *thread, name string, length val) ([]byte, error) {
	s, ok := d.h.(shake)
	switch {
	case !ok && given(length):
		return nil, value.TypeErrorf("%s() takes no arguments (1 given)", name)
	case !ok:
		return d.h.Sum(nil), nil
	case !given(length):
		return nil, value.TypeErrorf("%s() missing required argument 'length' (pos 1)", name)
	}
	n, err := asInt(t, length)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > 1<<29 {
		return nil, value.ValueErrorf("value must be positive")
	}
	return s.read(int(n)), nil
}

func (d *digest) write(v val) error {
	if v.IsUnset() {
		return nil
	}
	if _, ok := value.Payload(v).AsString(); ok {
		return value.TypeErrorf("Strings must be encoded before hashing")
	}
	b, ok := asBytes(v)
	if !ok {
		return value.TypeErrorf("object supporting the buffer API required")
	}
	d.h.Write(b)
	return nil
}

func hashlibModule() *value.Module {
	m := value.NewModule("_hashlib")
	m.Doc = "Digests of bytes."
	names := []val{}
	for _, name := range []string{"md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512"} {
		names = append(names, value.Str(name))
		put(m, fn(name+"(data=b'', /, *, usedforsecurity=True)", func(t *thread, a []val) (val, error) {
			d := &digest{name, hashers[name].make()}
			return object(hashClass, d), d.write(a[0])
		}))
	}
	for _, name := range []string{"shake_128", "shake_256"} {
		names = append(names, value.Str(name))
		put(m, fn(name+"(data=b'', /, *, usedforsecurity=True)", func(t *thread, a []val) (val, error) {
			d := &digest{name, shake{shakes[name]()}}
			return object(hashClass, d), d.write(a[0])
		}))
	}
	for name, most := range map[string]int{"blake2b": 64, "blake2s": 32} {
		names = append(names, value.Str(name))
		put(m, blake2Fn(name, most))
	}
	put(m, fn("pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None)", func(t *thread, a []val) (val, error) {
		name, err := asStr("pbkdf2_hmac", a[0])
		if err != nil {
			return val{}, err
		}
		h, ok := hashers[strings.ToLower(name)]
		if !ok {
			return val{}, value.ValueErrorf("unsupported hash type")
		}
		password, err := wantBytes(a[1])
		if err != nil {
			return val{}, err
		}
		salt, err := wantBytes(a[2])
		if err != nil {
			return val{}, err
		}
		rounds, err := asInt(t, a[3])
		if err != nil {
			return val{}, err
		}
		size, err := intOr(t, a[4], int64(h.make().Size()))
		if err != nil {
			return val{}, err
		}
		switch {
		case rounds < 1:
			return val{}, value.ValueErrorf("iteration value must be greater than 0.")
		case size < 1:
			return val{}, value.ValueErrorf("key length must be greater than 0.")
		}
		var key []byte
		if work := t.Aside(func() { key, err = pbkdf2.Key(h.make, string(password), salt, int(rounds), int(size)) }); work != nil {
			return val{}, work
		}
		if err != nil {
			return val{}, value.ValueErrorf("%s", err)
		}
		return value.BytesOf(key), nil
	}))
	put(m, fn("new(name, data=b'', /, *, usedforsecurity=True)", func(t *thread, a []val) (val, error) {
		name, err := asStr("new", a[0])
		if err != nil {
			return val{}, err
		}
		low := strings.ToLower(name)
		if _, ok := hashers[low]; !ok {
			low = strings.ReplaceAll(low, "-", "")
		}
		if mk, ok := shakes[low]; ok {
			d := &digest{low, shake{mk()}}
			return object(hashClass, d), d.write(a[1])
		}
		h, ok := hashers[low]
		if !ok {
			return val{}, value.ValueErrorf("unsupported hash type %s", name)
		}
		d := &digest{low, h.make()}
		return object(hashClass, d), d.write(a[1])
	}))
	set := value.NewSet(len(names))
	for _, n := range names {
		set.Add(nil, n)
	}
	m.Set("algorithms_available", set.Value())
	m.Set("algorithms_guaranteed", set.Value())
	return m
}

func blake2Fn(name string, most int) *value.Builtin {
	return fn(name+"(data=b'', /, *, digest_size=64, key=b'', salt=b'', person=b'', usedforsecurity=True)", func(t *thread, a []val) (val, error) {
		size, err := intOr(t, a[1], int64(most))
		if err != nil {
			return val{}, err
		}
		if size < 1 || size > int64(most) {
			return val{}, value.ValueErrorf("digest_size for %s must be between 1 and %d bytes, here it is %d", strings.ToUpper(name[:1])+name[1:], most, size)
		}
		var parts [3][]byte
		for i, limit := range []int{most, most / 4, most / 4} {
			if v := a[2+i]; given(v) {
				if parts[i], err = wantBytes(v); err != nil {
					return val{}, err
				}
			}
			if len(parts[i]) > limit {
				return val{}, value.ValueErrorf("maximum %s length is %d bytes", []string{"key", "salt", "person"}[i], limit)
			}
		}
		d := &digest{name, newBlake2(most == 64, int(size), append([]byte(nil), parts[0]...), parts[1], parts[2])}
		return object(hashClass, d), d.write(a[0])
	})
}

var binasciiError = value.NewClass("Error", "binascii", value.ExcValueError)

// textBytes is an argument that may be bytes or ASCII text.
func textBytes(v val) ([]byte, error) {
	if s, ok := value.Payload(v).AsString(); ok {
		for i := range len(s) {
			if s[i] >= 0x80 {
				return nil, value.ValueErrorf("string argument should contain only ASCII characters")
			}
		}
		return []byte(s), nil
	}
	b, ok := asBytes(v)
	if !ok {
		return nil, value.TypeErrorf("argument should be bytes, buffer or ASCII string, not '%s'", typeName(v))
	}
	return b, nil
}

// decode64 reads base64, dropping what is not of the alphabet as Python does.
func decode64(b []byte, strict bool) ([]byte, error) {
	clean := make([]byte, 0, len(b))
	pads := 0
	for _, c := range b {
		switch {
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/':
			if pads > 0 && len(clean)%4 != 0 {
				pads = 0
			}
			clean = append(clean, c)
		case c == '=':
			pads++
		case strict:
			return nil, value.Errorf(binasciiError, "Only base64 data is allowed")
		}
	}
	if len(clean)%4 == 1 {
		return nil, value.Errorf(binasciiError, "Invalid base64-encoded string: number of data characters (%d) cannot be 1 more than a multiple of 4", len(clean))
	}
	if len(clean)%4 != 0 && pads < 4-len(clean)%4 {
		return nil, value.Errorf(binasciiError, "Incorrect padding")
	}
	out, err := base64.RawStdEncoding.DecodeString(string(clean))
	if err != nil {
		return nil, value.Errorf(binasciiError, "Incorrect padding")
	}
	return out, nil
}

func binasciiModule() *value.Module {
	m := value.NewModule("binascii")
	m.Set("Error", binasciiError.Value())
	m.Set("Incomplete", value.NewClass("Incomplete", "binascii", value.ExcException).Value())
	bytesFn := func(sig string, f func(b []byte, t *thread, a []val) (val, error)) *value.Builtin {
		return fn(sig, func(t *thread, a []val) (val, error) {
			b, err := wantBytes(a[0])
			if err != nil {
				return val{}, err
			}
			return f(b, t, a)
		})
	}
	unhex := func(t *thread, a []val) (val, error) {
		b, err := textBytes(a[0])
		if err != nil {
			return val{}, err
		}
		if len(b)%2 != 0 {
			return val{}, value.Errorf(binasciiError, "Odd-length string")
		}
		out, err := hex.DecodeString(string(b))
		if err != nil {
			return val{}, value.Errorf(binasciiError, "Non-hexadecimal digit found")
		}
		return value.BytesOf(out), nil
	}
	tohex := func(b []byte, t *thread, a []val) (val, error) {
		return value.BytesOf([]byte(hex.EncodeToString(b))), nil
	}
	crc := func(sum func(old uint32, b []byte) uint32, start int64) func(b []byte, t *thread, a []val) (val, error) {
		return func(b []byte, t *thread, a []val) (val, error) {
			v, err := intOr(t, a[1], start)
			return value.Int(int64(sum(uint32(v), b))), err
		}
	}
	put(m,
		bytesFn("b2a_base64(data, /, *, newline=True)", func(b []byte, t *thread, a []val) (val, error) {
			s := base64.StdEncoding.EncodeToString(b)
			if nl, err := boolOr(t, a[1], true); nl || err != nil {
				return value.BytesOf([]byte(s + "\n")), err
			}
			return value.BytesOf([]byte(s)), nil
		}),
		fn("a2b_base64(data, /, *, strict_mode=False)", func(t *thread, a []val) (val, error) {
			b, err := textBytes(a[0])
			if err != nil {
				return val{}, err
			}
			strict, err := boolOr(t, a[1], false)
			if err != nil {
				return val{}, err
			}
			out, err := decode64(b, strict)
			return value.BytesOf(out), err
		}),
		bytesFn("hexlify(data)", tohex), bytesFn("b2a_hex(data)", tohex),
		fn("unhexlify(hexstr, /)", unhex), fn("a2b_hex(hexstr, /)", unhex),
		bytesFn("crc32(data, crc=0, /)", crc(func(old uint32, b []byte) uint32 { return crc32.Update(old, crc32.IEEETable, b) }, 0)),
		bytesFn("adler32(data, value=1, /)", crc(adlerUpdate, 1)),
	)
	return m
}

// adlerUpdate goes on with a checksum (RFC 1950).
func adlerUpdate(old uint32, b []byte) uint32 {
	if old == 1 {
		return adler32.Checksum(b)
	}
	s1, s2 := old&0xffff, old>>16
	for _, c := range b {
		s1 = (s1 + uint32(c)) % 65521
		s2 = (s2 + s1) % 65521
	}
	return s2<<16 | s1
}
