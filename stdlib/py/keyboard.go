package py

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// keyboard is standard input: waiting for it ends when the thread that waits is
// interrupted.
type keyboard struct {
	stream
	t atomic.Pointer[thread] // who reads

	mu      sync.Mutex
	pending chan struct{} // closed when the read that an interrupt has left is done
	buf     []byte
	n       int // bytes of buf that were read
	at      int // and handed on
	err     error
}

// keyboardLook is the time between two looks for an interrupt.
const keyboardLook = 10 * time.Millisecond

// forThread says who reads a file next.
func (f *file) forThread(t *thread) {
	if k, ok := f.raw.(*keyboard); ok {
		k.t.Store(t)
	}
}

func (k *keyboard) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.t.Load()
	if fd, ok := k.Reader.(interface{ Fd() uintptr }); ok {
		// Nothing may be read ahead of need: a prompt shares the terminal.
		for waits(fd.Fd(), keyboardLook) {
			if err := t.Stopping(); err != nil {
				return 0, err
			}
		}
		return k.Reader.Read(p)
	}
	if k.at == k.n && k.err == nil && k.pending == nil {
		k.begin(len(p))
	}
	if k.pending != nil {
		look := time.NewTicker(keyboardLook)
		defer look.Stop()
		for k.pending != nil {
			select {
			case <-k.pending:
				k.pending = nil
			case <-look.C:
				if err := t.Stopping(); err != nil {
					return 0, err
				}
			}
		}
	}
	n := copy(p, k.buf[k.at:k.n])
	k.at += n
	if k.at < k.n {
		return n, nil
	}
	err := k.err
	k.err = nil
	return n, err
}

// begin reads in the background. What it sets is looked at when pending is closed.
func (k *keyboard) begin(n int) {
	if len(k.buf) < n {
		k.buf = make([]byte, n)
	}
	k.at, k.n = 0, 0
	done, r := make(chan struct{}), k.Reader
	k.pending = done
	go func() {
		defer close(done)
		k.n, k.err = r.Read(k.buf)
		if k.n == 0 && k.err == nil {
			k.err = io.ErrNoProgress
		}
	}()
}
