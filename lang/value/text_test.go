package value

import (
	"math/bits"
	"strings"
	"testing"
	"unsafe"
)

func TestTextOf(t *testing.T) {
	for n := range 300 {
		v, room := textOf(n)
		if len(room) != n || cap(room) < n {
			t.Fatalf("room for %d bytes is %d of %d", n, len(room), cap(room))
		}
		for i := range room {
			room[i] = byte('a' + i%26)
		}
		s, ok := v.AsString()
		if !ok || len(s) != n || n > 0 && unsafe.StringData(s) != unsafe.SliceData(room) {
			t.Fatalf("a text of %d bytes is %q", n, s)
		}
	}
}

// Ints in the shared block must not disturb each other, and one-character strings
// are one object each, as in CPython.
func TestIntTexts(t *testing.T) {
	th := offline()
	var all []Value
	for i := int64(-20000); i < 20000; i += 7 {
		all = append(all, th.intStr(i))
	}
	for j, i := 0, int64(-20000); i < 20000; j, i = j+1, i+7 {
		if s, _ := all[j].AsString(); s != plainRepr(Int(i)) {
			t.Fatalf("str(%d) is %s", i, s)
		}
	}
	if !Same(th.intStr(7), charStr("7")) || Same(th.intStr(17), th.intStr(17)) {
		t.Error("identity of short strings")
	}
}

// Distinct short strings, and those that differ in length only, have distinct
// hashes (64 bits: a collision among these is a fault of the mixing), and every
// low bit that an index uses is as often set as not.
func TestStringHash(t *testing.T) {
	seen := map[uint64]string{}
	set := [16]int{}
	add := func(s string) {
		h := hashString(s)
		if o, ok := seen[h]; ok && o != s {
			t.Fatalf("%q and %q hash alike", s, o)
		}
		if _, ok := seen[h]; !ok {
			for x := h & 0xFFFF; x != 0; x &= x - 1 {
				set[bits.TrailingZeros64(x)]++
			}
		}
		seen[h] = s
	}
	for n := range 40 {
		for _, c := range []string{"a", "\x00", "é"} {
			add(strings.Repeat(c, n))
		}
	}
	th := offline()
	for i := range int64(20000) {
		s, _ := th.intStr(i).AsString()
		add(s)
		add("key" + s)
		add("layers." + s + ".weight")
	}
	for bit, n := range set {
		if share := float64(n) / float64(len(seen)); share < 0.48 || share > 0.52 {
			t.Errorf("bit %d is set in %.3f of the hashes", bit, share)
		}
	}
}

func BenchmarkConcat(b *testing.B) {
	th := offline()
	x := Str("xy")
	b.ReportAllocs()
	for range b.N {
		s := Str("")
		for range 1000 {
			s, _ = Binary(th, OpAdd, s, x)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/concat")
}

func BenchmarkIntText(b *testing.B) {
	th := offline()
	b.ReportAllocs()
	for i := range b.N {
		th.intStr(int64(i % 1000000))
	}
}

func BenchmarkDictString(b *testing.B) {
	d := NewDict(0)
	th := offline()
	var keys []string
	for i := range int64(1000) {
		s, _ := th.intStr(i * 7).AsString()
		keys = append(keys, "key"+s)
		d.SetStr(keys[i], Int(i))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if d.FastStr(keys[i%1000]) == nil {
			b.Fatal("absent")
		}
	}
}
