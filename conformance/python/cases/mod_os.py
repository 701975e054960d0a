import os; print(os.name, os.sep, os.linesep == '\n', os.pathsep, os.curdir, os.pardir, os.extsep, os.devnull)

import os; print(type(os.getpid()).__name__, type(os.getcwd()).__name__, os.getcwd() == os.path.abspath('.'), os.cpu_count() > 0)

import os; os.mkdir('d'); print(os.listdir('.'), os.path.isdir('d')); os.rmdir('d'); print(os.path.exists('d'))

import os; os.makedirs('a/b/c'); os.makedirs('a/b', exist_ok=True); print(os.path.isdir('a/b/c')); os.makedirs('a/b')

import os; os.mkdir('x/y')

import os; os.listdir('nope')

import os
try: os.remove('nope')
except FileNotFoundError as e: print(e.errno, e.filename, e.strerror, e)

import os; open('f', 'w').write('abc'); print(os.path.getsize('f'), os.stat('f').st_size); os.rename('f', 'g'); print(sorted(os.listdir())); os.replace('g', 'h'); os.remove('h'); print(os.listdir('.'))

import os; os.makedirs('t/u'); open('t/a', 'w').close(); open('t/u/b', 'w').close(); print([(r, sorted(d), sorted(f)) for r, d, f in os.walk('t')])

import os; os.makedirs('t/u'); open('t/a', 'w').close(); print([(r, d, f) for r, d, f in os.walk('t', topdown=False)], list(os.walk('nope')))

import os; open('q', 'w').close(); os.mkdir('d'); print(sorted((e.name, e.is_file(), e.is_dir(), e.path) for e in os.scandir('.')))

import os; print(os.environ.get('SURELY_NOT_SET'), os.getenv('SURELY_NOT_SET', 'dflt'), 'SURELY_NOT_SET' in os.environ); os.environ['MINE'] = 'v'; print(os.environ['MINE'], os.getenv('MINE')); del os.environ['MINE']; print(os.environ.get('MINE'))

import os; os.environ['SURELY_NOT_SET']

import os; os.environ['K'] = 5

import os; print(os.fspath('a'), os.fspath(b'b'))
class P:
    def __fspath__(self): return 'p/q'
print(os.fspath(P()), os.path.join(P(), 'r')); os.fspath(5)

import os; os.rmdir('nope')

import os; os.makedirs('d'); open('d/f', 'w').close(); os.rmdir('d')

import os; open('f', 'w').close(); os.mkdir('f')

import os; open('f', 'w').write('x'); s = os.stat('f'); print(s.st_size, s.st_mtime > 0, oct(s.st_mode)[:4], os.access('f', os.R_OK), os.access('nope', os.F_OK))

import os; os.stat('nope')

import os; print(os.strerror(2), os.urandom(4).__class__.__name__, len(os.urandom(8)))

import os; os.makedirs('a/b'); os.removedirs('a/b'); print(os.listdir('.'))

import os; os.setdefault

import os; os.environ.setdefault('ZED', '1'); os.environ.update({'ZEE': '2'}); print(os.environ['ZED'], os.environ.pop('ZEE'), os.environ.pop('ZEE', None), isinstance(os.environ, dict), {k: v for k, v in os.environ.items() if k == 'ZED'})
