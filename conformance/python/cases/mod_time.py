import time; t = time.time(); print(type(t).__name__, t > 1.6e9, type(time.time_ns()).__name__, time.time_ns() > 1.6e18)

import time; a = time.perf_counter(); b = time.perf_counter(); print(b >= a, type(a).__name__, time.perf_counter_ns() > 0, time.monotonic() >= 0, time.monotonic_ns() > 0)

import time; print(time.process_time() >= 0, time.process_time_ns() >= 0, time.thread_time() >= 0)

import time; print(time.sleep(0), time.sleep(0.001)); time.sleep(-1)

import time; time.sleep('x')

import time; g = time.gmtime(0); print(g, g.tm_year, g[0], len(g), g[:6], g.tm_wday, g.tm_yday)

import time; print(time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(0)), time.strftime('%a %b %d %j %U %w %y %%', time.gmtime(86400 * 200)))

import time; print(time.strftime('%A %B %I %p %M %c %x %X', time.gmtime(1e9)))

import time; s = time.strptime('2020-02-29 13:45:06', '%Y-%m-%d %H:%M:%S'); print(s, s.tm_yday, s.tm_wday, s.tm_isdst)

import time; print(time.strptime('30 Nov 00', '%d %b %y')[:3], time.strptime('11:30 PM', '%I:%M %p')[3:5])

import time; time.strptime('x', '%Y')

import time; time.strptime('2020 junk', '%Y')

import time; time.strptime('2020-13-01', '%Y-%m-%d')

import time; print(time.asctime(time.gmtime(0)), time.asctime((2020, 1, 2, 3, 4, 5, 0, 1, 0)))

import time; print(time.mktime(time.localtime(1e9)) == 1e9, type(time.timezone).__name__, type(time.tzname).__name__, len(time.tzname))

import time; print(time.struct_time((2020, 1, 2, 3, 4, 5, 6, 7, 0)), isinstance(time.gmtime(), tuple)); time.struct_time((1, 2))

import time; print(time.localtime(0) == time.localtime(0), time.gmtime(0) < time.gmtime(1), tuple(time.gmtime(5))[:6])

import time; print(time.strftime('%d/%m/%y', (2021, 3, 4, 0, 0, 0, 3, 63, 0)), time.strftime('plain'))

import time; print(time.strftime('%Y', (2021, 13, 4, 0, 0, 0, 3, 63, 0)))

import time; print(time.ctime(0) == time.asctime(time.localtime(0)), len(time.ctime()))

import time
def timed(f):
    def w(*a):
        t0 = time.perf_counter(); r = f(*a); return r, time.perf_counter() - t0 >= 0
    return w
print(timed(lambda x: x * 2)(4))

import time; time.gmtime('x')

import time; print(time.strftime('%H:%M:%S', time.gmtime(3661)), time.get_clock_info('time').monotonic)
