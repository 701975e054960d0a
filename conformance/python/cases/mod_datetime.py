from datetime import *; d = date(2020, 2, 29); print(d, repr(d), d.year, d.weekday(), d.isoweekday(), d.isoformat(), d.toordinal(), d.isocalendar(), d.strftime('%d/%m/%y %A %j'))

from datetime import *; dt = datetime(2021, 3, 4, 5, 6, 7, 89); print(dt, repr(dt), dt.date(), dt.time(), dt.isoformat(), dt.isoformat(' ', 'seconds'), dt.replace(year=2000), dt.strftime('%Y-%m-%d %H:%M:%S.%f %p %I %b %B %a'))

from datetime import *; t = timedelta(days=1, hours=2, seconds=3.5); print(t, repr(t), t.days, t.seconds, t.microseconds, t.total_seconds(), t * 2, t / 2, -t, t // timedelta(hours=1), abs(-t), t % timedelta(hours=5))

from datetime import *; print(datetime(2020, 1, 1) + timedelta(days=31), datetime(2020, 3, 1) - datetime(2020, 2, 1), date(2020, 1, 1) - timedelta(1), date(2021, 1, 1) - date(2020, 1, 1))

from datetime import *; print(datetime.strptime('2020-01-02 03:04:05', '%Y-%m-%d %H:%M:%S'), datetime.strptime('05 Mar 21', '%d %b %y'), datetime.fromisoformat('2020-01-02T03:04:05'), date.fromisoformat('2020-05-06'), time.fromisoformat('01:02:03'))

from datetime import *; datetime.strptime('x', '%Y')

from datetime import *; date(2021, 2, 30)

from datetime import *; datetime(2020, 13, 1)

from datetime import *; print(date(2020, 1, 1) < date(2020, 1, 2), datetime(2020, 1, 1) == datetime(2020, 1, 1), max(date(2020, 1, 1), date(2019, 1, 1)), hash(date(2020, 1, 1)) == hash(date(2020, 1, 1)), sorted([timedelta(2), timedelta(1)]))

from datetime import *; t = time(1, 2, 3, 4); print(t, repr(t), t.hour, t.isoformat(), t.replace(hour=5), time(23, 59).strftime('%H:%M'), time() < time(1))

from datetime import *; u = datetime(2020, 1, 1, tzinfo=timezone.utc); print(u, repr(u), u.isoformat(), u.timestamp(), u.utcoffset(), u.astimezone(timezone(timedelta(hours=2))), u.tzname())

from datetime import *; print(datetime.fromtimestamp(0, timezone.utc), datetime.utcfromtimestamp(86400), date.fromordinal(737425), datetime.combine(date(2020, 1, 1), time(5)), timezone.utc, timezone(timedelta(hours=-3, minutes=-30)))

from datetime import *; print(date.min, date.max, datetime.min, timedelta.max, timedelta.min, date.resolution, MINYEAR, MAXYEAR)

from datetime import *; print(date(2020, 1, 1) == 5, timedelta(1) != 5)

from datetime import *; print(timedelta(weeks=1), timedelta(minutes=-1), timedelta(milliseconds=1500), timedelta(0), bool(timedelta(0)), timedelta(days=-1, hours=5), str(timedelta(hours=100)), timedelta(microseconds=1))

from datetime import *; print(datetime(2020, 1, 1).ctime(), date(2020, 12, 31).timetuple()[:8], datetime(2020, 5, 6, 7).timetuple().tm_yday, date(2020, 1, 1).replace(day=15), f'{date(2020, 1, 2):%d.%m}', datetime(2020, 1, 1).weekday())

from datetime import *; print(isinstance(datetime.now(), datetime), date.today() <= date.today(), (datetime.now() - datetime.now()) < timedelta(seconds=5), isinstance(datetime(2020, 1, 1), date))

from datetime import *; datetime(2020, 1, 1) < datetime(2020, 1, 1, tzinfo=timezone.utc)

from datetime import *; print(datetime(2020, 1, 31, 23, 59, 59, 999999) + timedelta(microseconds=1), datetime(2000, 2, 28) + timedelta(1), date(1900, 3, 1) - timedelta(1), (datetime(2020, 1, 1, 12) - timedelta(hours=13)).isoformat())

from datetime import *; datetime.max + timedelta(1)

from datetime import datetime; print('{:%Y-%m-%d}'.format(datetime(2020, 1, 2)), datetime(2020, 1, 2).strftime('%%'), datetime.strptime('12:30 PM', '%I:%M %p').hour, datetime.strptime('2020-01-01 +0200', '%Y-%m-%d %z'))
