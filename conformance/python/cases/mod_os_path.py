import os.path; print(os.path.join('a', 'b'), os.path.join('a/', 'b'), os.path.join('a', '/b'), os.path.join('a', ''), os.path.join(''), os.path.join('a', 'b', 'c.txt'))

import os; print(os.path.basename('/a/b.c'), os.path.basename('/a/'), os.path.dirname('/a/b.c'), os.path.dirname('b'), os.path.dirname('/a/'), os.path.dirname('/'))

import os; print(os.path.split('/a/b'), os.path.split('b'), os.path.split('/'), os.path.split('a/b/'))

import os; print(os.path.splitext('a.tar.gz'), os.path.splitext('.bashrc'), os.path.splitext('a.b/c'), os.path.splitext('a.'), os.path.splitext('..a'))

import os; print(os.path.normpath('a//b/../c/.'), os.path.normpath(''), os.path.normpath('../..'), os.path.normpath('/../a'), os.path.normpath('//a'), os.path.normpath('a/..'))

import os; print(os.path.isabs('/a'), os.path.isabs('a'), os.path.abspath('/a/../b'), os.path.abspath('x') == os.path.join(os.getcwd(), 'x'))

import os; print(os.path.relpath('/a/b/c', '/a'), os.path.relpath('/a/b', '/a/c/d'), os.path.relpath('a', 'a'), os.path.relpath('a/b'))

import os; print(os.path.commonpath(['/a/b/c', '/a/b/d']), os.path.commonprefix(['/a/bc', '/a/bd']), os.path.commonprefix([]), os.path.commonpath(['a/b', 'a']))

import os; os.path.commonpath(['/a', 'b'])

import os; os.path.commonpath([])

import os; open('f', 'w').close(); os.mkdir('d'); print([(os.path.exists(p), os.path.isfile(p), os.path.isdir(p), os.path.islink(p), os.path.lexists(p)) for p in ('f', 'd', 'n')])

import os; open('f', 'w').write('12345'); print(os.path.getsize('f'), os.path.getmtime('f') > 0, os.path.getctime('f') > 0, os.path.getatime('f') > 0); os.path.getsize('nope')

import os; os.path.join('a', 5)

import os; os.path.join(None, 'a')

import os; os.path.basename(5)

import os; print(os.path.expanduser('a/b'), os.path.expandvars('a/b'), os.path.expanduser('~') != '~'); os.environ['QQ'] = 'v'; print(os.path.expandvars('$QQ/${QQ}x/$NOPE_X'))

import os; print(os.path.samefile('.', os.getcwd()), os.path.realpath('.') == os.path.realpath(os.getcwd()), os.path.normcase('aB'), os.path.splitdrive('/a'))

import os; print(os.path.sep, os.path.curdir, os.path.pardir, os.path.extsep, os.path.altsep, os.path.pathsep)

from os import path; from os.path import join, exists; print(path.join is join, exists('nope'), join(*['a', 'b']))

import os.path as osp; print(osp.join('x', 'y'), osp.__name__)

import os, pathlib; print(os.path.join(pathlib.Path('a'), 'b'), os.path.exists(pathlib.Path('n')), os.path.basename(pathlib.Path('a/b')), os.path.splitext(pathlib.Path('m.pt')))

import os; print(os.path.join(b'a', b'b'), os.path.basename(b'/a/b')); os.path.join('a', b'b')

import os; print(os.path.splitext(os.path.basename('/runs/exp1/model_best.pth.tar'))[0], os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data').endswith('data'))
