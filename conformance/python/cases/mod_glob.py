import glob, os
for n in ('a.py', 'b.py', 'c.txt'): open(n, 'w').close()
print(sorted(glob.glob('*.py')), sorted(glob.glob('*')), glob.glob('nope*'))

import glob; print(glob.glob('*'), list(glob.iglob('*')))

import glob, os; os.makedirs('d/e'); open('d/x.py', 'w').close(); open('d/e/y.py', 'w').close(); print(sorted(glob.glob('d/*.py')), sorted(glob.glob('**/*.py', recursive=True)), sorted(glob.glob('d/**', recursive=True)))

import glob; open('a1', 'w').close(); open('a2', 'w').close(); open('b1', 'w').close(); print(sorted(glob.glob('a?')), sorted(glob.glob('[ab]1')), sorted(glob.glob('[!a]*')), sorted(glob.glob('a[0-9]')))

import glob; open('.hid', 'w').close(); open('vis', 'w').close(); print(glob.glob('*'), sorted(glob.glob('.*')), sorted(glob.glob('*', include_hidden=True)))

import glob; print(glob.escape('a[1]*?'), glob.has_magic('a*'), glob.has_magic('a'))

import glob; open('a[1]', 'w').close(); print(glob.glob('a[1]'), glob.glob(glob.escape('a[1]')))

import glob, os; os.mkdir('d'); open('d/f', 'w').close(); print(glob.glob('d/f'), glob.glob('d/nope'), glob.glob('d/'), glob.glob('*/'))

import glob, os; os.mkdir('d'); open('d/f.x', 'w').close(); print(glob.glob('*.x', root_dir='d'), sorted(glob.glob('*', root_dir='d')))

import glob, os; os.makedirs('p/q/r'); open('p/q/r/z.t', 'w').close(); print(glob.glob('p/*/r/*.t'), glob.glob('*/*/*/*'), sorted(glob.glob('p/**/', recursive=True)))

import glob, os; os.makedirs('p/q'); print(sorted(glob.glob('**', recursive=True)), sorted(glob.glob('**')))

import glob, os; open('w', 'w').close(); print([os.path.basename(p) for p in glob.glob(os.path.join(os.getcwd(), '*'))])

import glob; type(glob.iglob('x')); print(next(glob.iglob('x'), 'none'))

import glob
for i in (3, 1, 2): open(f'm_{i}.pt', 'w').close()
print(sorted(glob.glob('m_*.pt'))[-1], max(glob.glob('m_*.pt')), [int(f[2:-3]) for f in sorted(glob.glob('m_*.pt'))])

import fnmatch; print(fnmatch.fnmatch('a.py', '*.py'), fnmatch.fnmatch('A.PY', '*.py'), fnmatch.fnmatchcase('a', '[!b]'), fnmatch.filter(['a.py', 'b', 'c.py'], '*.py'))

import fnmatch; print(fnmatch.translate('*.txt'), fnmatch.translate('a?[b-d]'))

import fnmatch; print(fnmatch.fnmatch('abc', 'a*c'), fnmatch.fnmatch('a/b', 'a*'), fnmatch.fnmatch('', '*'), fnmatch.fnmatch('x', '?'), fnmatch.fnmatch('', '?'), fnmatch.fnmatch('a]', 'a[]]'), fnmatch.fnmatch('[', '[[]'))

import glob, os; os.makedirs('x.d'); open('x.d/.h', 'w').close(); print(glob.glob('*.d/*'), glob.glob('*.d/.*'), glob.glob('x.d/.h'))

import glob; from pathlib import Path; Path('k.py').touch(); print([Path(p).stem for p in glob.glob('*.py')])

import fnmatch, re; print(bool(re.match(fnmatch.translate('weights_*.pt'), 'weights_12.pt')), [n for n in ('layer1.conv', 'layer2.bn', 'fc') if fnmatch.fnmatch(n, 'layer*.bn')])
