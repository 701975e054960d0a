package sim

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/ptx"
)

// Machine is a GPU made of Go. It implements ptx.Machine. Launches are done at once.
type Machine struct {
	mu     sync.Mutex
	procs  int
	mem    []span // by address
	raise  func(site uint32, value, limit uint64) error
	fault  uint64
	work   uint64
	workN  int
	failed error

	Launches int // so far
}

type span struct {
	addr uint64
	b    []byte
}

// New makes a machine that claims a number of multiprocessors.
func New(processors int) *Machine {
	m := &Machine{procs: processors}
	m.fault = m.Alloc(32)
	return m
}

// Alloc makes memory of n bytes, filled with a pattern that is no sensible number.
func (m *Machine) Alloc(n int) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n = (n + 3) &^ 3 // an atomic on part of a word reads all of it
	words := make([]uint64, n/8+4)
	for i := range words {
		words[i] = 0x7ff4dead7fa4dead
	}
	// 32-byte alignment, and room after the end that belongs to nobody
	p := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(words))))
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
	off := -p & 15
	s := span{p + off, b[off : off+uint64(n) : off+uint64(n)]}
	i := sort.Search(len(m.mem), func(i int) bool { return m.mem[i].addr > s.addr })
	m.mem = append(m.mem, span{})
	copy(m.mem[i+1:], m.mem[i:])
	m.mem[i] = s
	return s.addr
}

// Free gives memory back.
func (m *Machine) Free(addr uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.mem {
		if m.mem[i].addr == addr {
			m.mem = append(m.mem[:i], m.mem[i+1:]...)
			return
		}
	}
}

// at is n bytes of memory, for who is outside of a launch. Buffers that nobody needs
// are freed by other goroutines.
func (m *Machine) at(addr uint64, n int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.within(addr, n)
}

// within is at for who has locked the machine.
func (m *Machine) within(addr uint64, n int) ([]byte, error) {
	i := sort.Search(len(m.mem), func(i int) bool { return m.mem[i].addr > addr }) - 1
	if i >= 0 {
		s := m.mem[i]
		if off := addr - s.addr; off+uint64(n) <= uint64(len(s.b)) {
			return s.b[off:][:n:n], nil
		}
		return nil, fmt.Errorf("an access of %d bytes at byte %d of a buffer of %d", n, int64(addr-s.addr), len(s.b))
	}
	return nil, fmt.Errorf("an access of %d bytes at %#x, where there is no memory", n, addr)
}

// Processors implements ptx.Machine.
func (m *Machine) Processors() int { return m.procs }

// Load implements ptx.Machine.
func (m *Machine) Load(text string) (ptx.Code, error) { return parse(text) }

// Work implements ptx.Machine.
func (m *Machine) Work(n int) (uint64, error) {
	if m.workN < n {
		m.work, m.workN = m.Alloc(n), n
		b, _ := m.at(m.work, n)
		clear(b)
	}
	return m.work, nil
}

// Faults implements ptx.Machine.
func (m *Machine) Faults(raise func(site uint32, value, limit uint64) error) uint64 {
	m.raise = raise
	b, _ := m.at(m.fault, 32)
	clear(b)
	binary.LittleEndian.PutUint64(b[24:], m.fault)
	return m.fault
}

// Sync reports what failed.
func (m *Machine) Sync() error {
	if m.failed != nil {
		return m.failed
	}
	b, _ := m.at(m.fault, 24)
	w := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), 3)
	if uint32(w[0]) == 0 {
		return nil
	}
	err := m.raise(uint32(w[0]), w[1], w[2])
	clear(w)
	return err
}

// Read implements ptx.Machine.
func (m *Machine) Read(dst []byte, addr uint64) error {
	if err := m.Sync(); err != nil || len(dst) == 0 {
		return err
	}
	b, err := m.at(addr, len(dst))
	copy(dst, b)
	return err
}

// Write implements ptx.Machine.
func (m *Machine) Write(addr uint64, src []byte) error {
	if err := m.Sync(); err != nil || len(src) == 0 {
		return err
	}
	b, err := m.at(addr, len(src))
	copy(b, src)
	return err
}

// Launch implements ptx.Machine.
func (m *Machine) Launch(k ptx.Code, x, y, threads int, args []uint64) error {
	c := k.(*code)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return m.failed
	}
	m.Launches++
	if 8*len(args) != c.params {
		return fmt.Errorf("%d bytes of arguments for %d of parameters", 8*len(args), c.params)
	}
	if x < 1 || y < 1 || threads < 1 || threads > 1024 {
		return fmt.Errorf("a launch of %d x %d blocks of %d threads", x, y, threads)
	}
	for by := range y {
		for bx := range x {
			if err := m.block(c, bx, by, x, y, threads, args); err != nil {
				m.failed = err
				return err
			}
		}
	}
	return nil
}

var _ ptx.Machine = (*Machine)(nil)
