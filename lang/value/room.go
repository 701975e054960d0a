package value

import (
	"runtime"
	"runtime/metrics"
)

// An allocation that fails ends a Go process and cannot be recovered, so what a
// program may make is bounded before it is made: one object by maxText and
// maxElems, all of them together by Thread.HeapLimit, which is looked at where
// something large is about to be made and every few thousand steps.

// The most bytes of one string and elements of one list, tuple or dict that an
// operation makes at once.
const (
	maxText   = 1 << 30
	maxElems  = 1 << 27
	elemBytes = 16
)

const (
	heapStride = 16 << 20 // bytes made in large pieces between two looks at the heap
	nextStride = 1024     // items of Go iterators between two polls
)

// Room raises MemoryError if a text of n bytes should not be made.
func (t *Thread) Room(n int64) error {
	if n < 0 || n > maxText {
		return NewRaised(ExcMemoryError)
	}
	return t.charge(n)
}

// RoomFor is Room for a sequence of n elements.
func (t *Thread) RoomFor(n int64) error {
	if n < 0 || n > maxElems {
		return NewRaised(ExcMemoryError)
	}
	return t.charge(n * elemBytes)
}

func (t *Thread) charge(n int64) error {
	if t == nil || t.HeapLimit == 0 || n < 4096 {
		return nil
	}
	if t.made += n; t.made < heapStride {
		return nil
	}
	n, t.made = t.made, 0
	return t.CheckHeap(n)
}

// CheckHeap raises MemoryError if n more bytes would take the heap over the
// limit, after a collection.
func (t *Thread) CheckHeap(n int64) error {
	if t.HeapLimit <= 0 || t.heapBytes()+n <= t.HeapLimit {
		return nil
	}
	runtime.GC()
	// Close to the limit every look would be a collection: a margin ends that.
	if t.heapBytes()+n <= t.HeapLimit-t.HeapLimit/16 {
		return nil
	}
	return NewRaised(ExcMemoryError)
}

func (t *Thread) heapBytes() int64 {
	if t.heap[0].Name == "" {
		t.heap[0].Name = "/memory/classes/heap/objects:bytes"
	}
	metrics.Read(t.heap[:])
	if t.heap[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(t.heap[0].Value.Uint64())
}

// tick counts an item of an iterator written in Go. Loops over those take no
// instructions, and must be as stoppable as others.
func (t *Thread) tick() error {
	if t == nil {
		return nil
	}
	if t.items++; t.items < nextStride {
		return nil
	}
	t.Steps += uint64(t.items)
	t.items = 0
	if t.Poll != nil {
		return t.Poll()
	}
	return nil
}
