package cpu

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestEachTileOnce(t *testing.T) {
	p := NewPool(3)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for round := range 300 {
				tiles, budget := (g*37+round)%50, 1+round%5
				hits := make([]atomic.Int32, tiles)
				lanes := make([]atomic.Int32, budget)
				p.Run(budget, tiles, func(tile, lane int) {
					hits[tile].Add(1)
					if lanes[lane].Add(1) != 1 {
						t.Error("two goroutines in one lane")
					}
					lanes[lane].Add(-1)
				})
				for i := range hits {
					if hits[i].Load() != 1 {
						t.Errorf("tile %d of %d ran %d times", i, tiles, hits[i].Load())
					}
				}
			}
		}()
	}
	wg.Wait()
}

func TestNestedRun(t *testing.T) {
	p := NewPool(2)
	var n atomic.Int32
	p.Run(3, 10, func(int, int) {
		p.Run(3, 10, func(int, int) { n.Add(1) })
	})
	if n.Load() != 100 {
		t.Error(n.Load())
	}
}

func TestPanicReachesCaller(t *testing.T) {
	p := NewPool(2)
	for range 50 {
		func() {
			defer func() {
				if v := recover(); v != "no" {
					t.Errorf("recovered %v", v)
				}
			}()
			p.Run(3, 20, func(tile, _ int) {
				if tile == 13 {
					panic("no")
				}
			})
		}()
	}
	p.Run(3, 20, func(int, int) {}) // still alive
}

type errorKernel struct{}

func (errorKernel) Tiles() int { return 40 }
func (errorKernel) Run(tile, _ int) error {
	if tile%7 == 5 {
		return errors.New(string(rune('a' + tile)))
	}
	return nil
}

func TestStreamError(t *testing.T) {
	s, _ := New(0).NewStream()
	for range 20 {
		if err := s.Launch(errorKernel{}); err == nil || err.Error() != "f" {
			t.Errorf("error %v, want that of tile 5", err)
		}
		if err := s.Sync(); err == nil {
			t.Error("Sync forgot the error")
		}
		if err := s.Sync(); err != nil {
			t.Error("Sync kept the error")
		}
	}
}

func BenchmarkRun(b *testing.B) {
	p := Shared()
	for b.Loop() {
		p.Run(2, 8, func(int, int) {})
	}
}
