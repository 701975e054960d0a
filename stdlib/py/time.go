package py

import (
	"math"
	"time"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// timeModule makes _time, the leaves of time. Broken-down times are tuples of
// tm_year … tm_isdst, then the zone's name and its offset in seconds east.
func (l *Library) timeModule() *value.Module {
	m := value.NewModule("_time")
	start := time.Now()
	clock := func(name string, read func() val) *value.Builtin {
		return fn(name+"()", func(t *thread, a []val) (val, error) {
			if err := l.host.CheckClock(); err != nil {
				return val{}, err
			}
			return read(), nil
		})
	}
	parts := func(name string, zone func() *time.Location) *value.Builtin {
		return fn(name+"(secs=None, /)", func(t *thread, a []val) (val, error) {
			at := time.Time{}
			if given(a[0]) {
				f, err := seconds(t, a[0])
				if err != nil {
					return val{}, err
				}
				if math.Abs(f) > 1e13 || math.IsNaN(f) {
					return val{}, value.OverflowErrorf("timestamp out of range for platform time_t")
				}
				at = time.Unix(int64(math.Floor(f)), 0)
			} else {
				if err := l.host.CheckClock(); err != nil {
					return val{}, err
				}
				at = time.Now()
			}
			return brokenDown(at.In(zone())), nil
		})
	}
	// mono adds an arbitrary offset so that the first reading is not zero.
	mono := func() time.Duration { return time.Since(start) + time.Second }
	put(m,
		clock("time", func() val { return value.Float(float64(time.Now().UnixNano()) / 1e9) }),
		clock("time_ns", func() val { return value.Int(time.Now().UnixNano()) }),
		clock("perf_counter", func() val { return value.Float(mono().Seconds()) }),
		clock("perf_counter_ns", func() val { return value.Int(int64(mono())) }),
		clock("monotonic", func() val { return value.Float(mono().Seconds()) }),
		clock("monotonic_ns", func() val { return value.Int(int64(mono())) }),
		clock("process_time", func() val { return value.Float(cpuTime().Seconds()) }),
		clock("process_time_ns", func() val { return value.Int(int64(cpuTime())) }),
		clock("thread_time", func() val { return value.Float(cpuTime().Seconds()) }),
		parts("localtime", func() *time.Location { return time.Local }),
		parts("gmtime", func() *time.Location { return time.UTC }),
		fn("mktime(tuple, /)", func(t *thread, a []val) (val, error) {
			n, err := ints(t, a[0], 6)
			if err != nil {
				return val{}, err
			}
			at := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.Local)
			return value.Float(float64(at.Unix())), nil
		}),
		fn("offset(secs, /)", func(t *thread, a []val) (val, error) {
			i, err := asInt(t, a[0])
			if err != nil {
				return val{}, err
			}
			_, off := time.Unix(i, 0).Zone()
			return value.Int(int64(off)), nil
		}),
		fn("sleep(seconds, /)", func(t *thread, a []val) (val, error) {
			s, err := seconds(t, a[0])
			if err != nil {
				return val{}, err
			}
			if s < 0 {
				return val{}, value.ValueErrorf("sleep length must be non-negative")
			}
			if math.IsNaN(s) {
				return val{}, value.ValueErrorf("Invalid value NaN (not a number)")
			}
			if err := l.host.CheckClock(); err != nil {
				return val{}, err
			}
			end := time.Now().Add(time.Duration(min(s, 1e9) * float64(time.Second)))
			for {
				left := time.Until(end)
				if err := t.Stopping(); err != nil || left <= 0 {
					return value.None, err
				}
				time.Sleep(min(left, 10*time.Millisecond))
			}
		}),
	)
	return m
}

// seconds is a number of seconds: a float or an int.
func seconds(t *thread, v val) (float64, error) {
	if p := value.Payload(v); p.IsFloat() {
		return p.Float64(), nil
	}
	f, err := value.AsFloat64(t, v)
	if r, ok := err.(*value.Raised); ok && r.Class == value.ExcTypeError {
		err = value.TypeErrorf("'%s' object cannot be interpreted as an integer", typeName(v))
	}
	return f, err
}

func brokenDown(at time.Time) val {
	zone, off := at.Zone()
	dst := 0
	if at.IsDST() {
		dst = 1
	}
	out := []val{}
	for _, n := range []int{at.Year(), int(at.Month()), at.Day(), at.Hour(), at.Minute(), at.Second(), (int(at.Weekday()) + 6) % 7, at.YearDay(), dst} {
		out = append(out, value.Int(int64(n)))
	}
	return value.Tuple(append(out, value.Str(zone), value.Int(int64(off)))...)
}

func ints(t *thread, v val, n int) ([]int, error) {
	items, ok := elems(v)
	if !ok || len(items) < n {
		return nil, value.TypeErrorf("Tuple or struct_time argument required")
	}
	out := make([]int, n)
	for i := range out {
		k, err := asInt(t, items[i])
		if err != nil {
			return nil, err
		}
		out[i] = int(k)
	}
	return out, nil
}
