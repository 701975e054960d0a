import bisect; l = [1, 3, 5, 7]; print(bisect.bisect(l, 3), bisect.bisect_left(l, 3), bisect.bisect_right(l, 4), bisect.bisect_left(l, 0), bisect.bisect(l, 9)); bisect.insort(l, 4); print(l); bisect.insort_left(l, 4); print(l)

import bisect; print(bisect.bisect_left([(1, 'a'), (3, 'b')], 2, key=lambda t: t[0]), bisect.bisect([1, 2, 3], 2, lo=1, hi=2)); bisect.bisect([1], 1, lo=-1)

import heapq; h = [5, 1, 4]; heapq.heapify(h); print(h, heapq.heappop(h), heapq.heappush(h, 0), h, heapq.heappushpop(h, 2), heapq.heapreplace(h, 9), h)

import heapq; print(heapq.nlargest(2, [3, 1, 4]), heapq.nsmallest(2, [3, 1, 4]), heapq.nlargest(1, 'ab', key=ord), list(heapq.merge([1, 3], [2, 4])), list(heapq.merge([3, 1], [2], reverse=True)))

import heapq; heapq.heappop([])

import heapq; h = []
for p, t in [(2, 'b'), (1, 'a'), (3, 'c')]: heapq.heappush(h, (p, t))
print([heapq.heappop(h) for _ in range(3)])

import hashlib; print(hashlib.md5(b'a').hexdigest(), hashlib.sha1(b'').hexdigest(), hashlib.sha256(b'abc').hexdigest()[:20], hashlib.sha512(b'x').digest()[:4])

import hashlib; h = hashlib.sha256(); h.update(b'a'); h.update(b'b'); print(h.hexdigest() == hashlib.sha256(b'ab').hexdigest(), h.name, h.digest_size, h.block_size, hashlib.new('md5', b'q').hexdigest(), h.copy().hexdigest() == h.hexdigest())

import hashlib; hashlib.md5('text')

import hashlib; print(hashlib.sha224(b'a').hexdigest(), hashlib.sha384(b'').hexdigest()[:10], 'md5' in hashlib.algorithms_available)

import base64; print(base64.b64encode(b'hello'), base64.b64decode('aGVsbG8='), base64.urlsafe_b64encode(b'\xff\xfe'), base64.b16encode(b'\x01'), base64.b32encode(b'a'), base64.standard_b64decode(b'YQ=='))

import base64; base64.b64decode('abc')

import base64; print(base64.b32decode('ME======'), base64.b16decode('0AFF'), base64.encodebytes(b'x' * 60), base64.urlsafe_b64decode('__4='))

import pprint; pprint.pprint({'b': [1, 2], 'a': {'x': 1}}); pprint.pprint(list(range(40))); print(pprint.pformat([1, 'a']), pprint.pformat({'k' * 20: 'v' * 40, 'z' * 20: 'w' * 40}))

import pprint; pprint.pprint([['a' * 30, 'b' * 30], ['c' * 30]], width=40); pprint.pprint((1,)); pprint.pprint({1: {2: {3: 4}}}, depth=2); pprint.pprint('x' * 100)

import uuid; u = uuid.UUID('12345678123456781234567812345678'); print(u, repr(u), u.hex, u.int, u.bytes[:2], u.version, uuid.uuid5(uuid.NAMESPACE_DNS, 'x'), uuid.uuid3(uuid.NAMESPACE_URL, 'y'), len(str(uuid.uuid4())), uuid.uuid4().version, uuid.UUID(int=5), u == uuid.UUID(u.hex), u.urn)

import uuid; uuid.UUID('bad')

import numbers; print(isinstance(1, numbers.Number), isinstance(1, numbers.Integral), isinstance(1.5, numbers.Real), isinstance(1.5, numbers.Integral), isinstance(1j, numbers.Complex), isinstance('a', numbers.Number), isinstance(True, numbers.Integral), issubclass(int, numbers.Rational))

import abc; print(abc.ABC.__name__, abc.ABCMeta.__name__, abc.abstractmethod(lambda: 0).__isabstractmethod__)

import weakref
class A: pass
a = A(); r = weakref.ref(a); print(r() is a, weakref.proxy(a).__class__.__name__ in ('A', 'weakproxy')); d = weakref.WeakValueDictionary(); d['k'] = a; print(d['k'] is a, len(d)); k = weakref.WeakKeyDictionary(); k[a] = 1; print(k[a]); s = weakref.WeakSet([a]); print(a in s)

import gc; print(gc.isenabled(), gc.collect() >= 0, gc.get_threshold().__class__.__name__, gc.disable(), gc.enable())

import sys; print(sys.version_info[:2], sys.version_info >= (3, 8), sys.maxsize, sys.byteorder, sys.argv[0], sys.platform, sys.getrecursionlimit() > 0, sys.version_info.major, type(sys.modules).__name__, 'sys' in sys.modules, sys.getsizeof([]) > 0)

import sys; sys.stdout.write('direct\n'); print(sys.stdout.isatty() in (True, False), sys.stderr is not None, sys.intern('a'), sys.exc_info(), callable(sys.exit), sys.float_info.dig, sys.hexversion > 0x3000000, sys.implementation.name != '')

import sys; sys.exit('message')

import sys
try: sys.exit(3)
except SystemExit as e: print(e.code)

import types; n = types.SimpleNamespace(a=1, b='x'); n.c = 2; print(n, n.a, n == types.SimpleNamespace(a=1, b='x', c=2), vars(n), types.FunctionType.__name__, isinstance(lambda: 0, types.LambdaType), isinstance(len, types.BuiltinFunctionType), types.ModuleType('m').__name__, types.MethodType(lambda s: s, 5)(), types.MappingProxyType({'a': 1})['a'], isinstance(None, types.NoneType))

import types; p = types.MappingProxyType({'a': 1}); print(dict(p), len(p), 'a' in p, list(p)); p['b'] = 2

import statistics as s; print(s.mean([1, 2, 3, 4]), s.median([3, 1, 2]), s.median([1, 2, 3, 4]), s.mode([1, 1, 2]), s.stdev([1, 2, 3, 4]), s.variance([1, 2, 3]), s.pstdev([1, 2]), s.pvariance([1, 3]), s.fmean([1, 2]), s.harmonic_mean([2, 4]), s.geometric_mean([1, 4]), s.median_low([1, 2]), s.median_high([1, 2]), s.multimode([1, 1, 2, 2]), s.quantiles([1, 2, 3, 4]))

import statistics; statistics.mean([])

import statistics as s; print(s.mean([1, 2]), s.mean([1.5, 2.5]), s.mean([1, 1]), type(s.mean([1, 3])).__name__, s.correlation([1, 2, 3], [1, 2, 4]), s.linear_regression([1, 2, 3], [2, 4, 6]), s.NormalDist(0, 1).cdf(0))

import csv, io; print(list(csv.reader(['a,b', '"x, y",2', '"q""z",'])), list(csv.reader(['a;b'], delimiter=';')), list(csv.DictReader(['h,k', '1,2'])))

import csv, io; f = io.StringIO(); w = csv.writer(f); w.writerow([1, 'a,b', 'q"r', None, 1.5]); w.writerows([[1], ['']]); print(repr(f.getvalue()))

import csv, io; f = io.StringIO(); w = csv.DictWriter(f, fieldnames=['a', 'b'], lineterminator='\n'); w.writeheader(); w.writerow({'a': 1, 'b': 2}); print(f.getvalue()); w.writerow({'z': 1})

import csv, io; f = io.StringIO(); csv.writer(f, quoting=csv.QUOTE_ALL, delimiter='\t').writerow(['a', 1]); csv.writer(f, quoting=csv.QUOTE_NONNUMERIC).writerow(['a', 1]); print(repr(f.getvalue()), list(csv.reader(['a\\,b'], escapechar='\\')), csv.QUOTE_MINIMAL)

import pickle; d = {'a': [1, (2, 3)], 'b': {4}, 'c': None, 'd': 1.5, 'e': b'x', 'f': 'é', 'g': 2**70}; print(pickle.loads(pickle.dumps(d)) == d, pickle.loads(pickle.dumps([True, frozenset([1])])))

import pickle, io; f = io.BytesIO(); pickle.dump([1, 2], f); f.seek(0); print(pickle.load(f), pickle.HIGHEST_PROTOCOL)

import traceback
try: 1 / 0
except ZeroDivisionError as e: print(traceback.format_exc().splitlines()[-1], traceback.format_exception_only(type(e), e), len(traceback.extract_tb(e.__traceback__)), traceback.extract_tb(e.__traceback__)[0].lineno)

import traceback
def f(): raise ValueError('v')
try: f()
except ValueError as e: print(''.join(traceback.format_exception(e))); print(''.join(traceback.format_tb(e.__traceback__)))

import warnings
with warnings.catch_warnings(record=True) as w: warnings.simplefilter('always'); warnings.warn('careful'); warnings.warn('dep', DeprecationWarning); print(len(w), w[0].message, w[1].category.__name__)

import warnings; warnings.simplefilter('error'); warnings.warn('boom')

import warnings; warnings.filterwarnings('ignore'); warnings.warn('x'); print('quiet', issubclass(FutureWarning, Warning))

import threading; l = threading.Lock()
with l: print(l.locked())
print(l.locked(), threading.current_thread().name)

import multiprocessing; print(multiprocessing.cpu_count() > 0)

import time; t = time.time(); print(t > 1e9, time.perf_counter() <= time.perf_counter(), time.monotonic() > 0, time.strftime('%Y', time.gmtime(0)), time.gmtime(0)[:6], time.gmtime(86400).tm_mday, time.sleep(0), time.mktime(time.localtime(1000)) == 1000.0, time.process_time() >= 0, time.time_ns() > 0)

import time; print(time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(1e9)), time.strptime('2020-05-06', '%Y-%m-%d')[:3], time.asctime(time.gmtime(0)), time.ctime(0) != '')

import wave, io; f = io.BytesIO(); w = wave.open(f, 'wb'); w.setnchannels(1); w.setsampwidth(2); w.setframerate(8000); w.writeframes(b'\x01\x00' * 4); w.close(); f.seek(0); r = wave.open(f); print(r.getnchannels(), r.getframerate(), r.getnframes(), r.readframes(2), r.getparams())

from collections import abc; print(abc.Mapping.__name__, isinstance({}, abc.MutableMapping), issubclass(dict, abc.Mapping), isinstance(range(1), abc.Sequence), isinstance({}.keys(), abc.KeysView), abc.Iterable.__module__)
