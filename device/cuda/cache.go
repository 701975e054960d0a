package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"
)

// The cache of compiled code: a file for each text, GPU and driver, named by their
// hash, whose first 32 bytes are the hash of the rest. What does not match is made
// anew; what cannot be written is not kept.

const inputPTX = 1

// cubin is the machine code of a text, from the cache or the driver's linker.
func (g *GPU) cubin(text string) ([]byte, error) {
	key := sha256.Sum256([]byte(fmt.Sprintf("%s\n%d.%d\n%d\n%s", g.info.Name, g.info.Major, g.info.Minor, g.info.Driver, text)))
	path := filepath.Join(g.d.opts.CacheDir, hex.EncodeToString(key[:])+".cubin")
	if b, err := os.ReadFile(path); err == nil && len(b) > 32 {
		if sum := sha256.Sum256(b[32:]); string(sum[:]) == string(b[:32]) {
			return b[32:], nil
		}
	}
	code, err := g.link(text)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(g.d.opts.CacheDir, 0o700); err != nil {
		return code, nil
	}
	sum := sha256.Sum256(code)
	f, err := os.CreateTemp(g.d.opts.CacheDir, "new-*")
	if err != nil {
		return code, nil
	}
	_, err = f.Write(append(sum[:], code...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return code, nil
}

// link compiles without loading.
func (g *GPU) link(text string) ([]byte, error) {
	d, l := g.d, newJITLogs()
	st, out, size := new(uintptr), new(unsafe.Pointer), new(uintptr)
	if err := d.call("cuLinkCreate", d.api.LinkCreate, uintptr(len(l.keys)), ptr(&l.keys[0]), ptr(&l.vals[0]), ptr(st)); err != nil {
		return nil, err
	}
	defer d.call("cuLinkDestroy", d.api.LinkDestroy, *st)
	b := append([]byte(text), 0)
	name := []byte("kernel\x00")
	err := d.call("cuLinkAddData", d.api.LinkAddData, *st, inputPTX, ptr(&b[0]), uintptr(len(b)), ptr(&name[0]), 0, 0, 0)
	if err == nil {
		err = d.call("cuLinkComplete", d.api.LinkComplete, *st, ptr(out), ptr(size))
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(name)
	runtime.KeepAlive(l)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, l.text())
	}
	return append([]byte(nil), unsafe.Slice((*byte)(*out), *size)...), nil
}
