import logging, sys; logging.basicConfig(stream=sys.stdout, level=logging.INFO, format='%(levelname)s:%(name)s:%(message)s'); logging.info('a %d %s', 1, 'b'); logging.debug('no'); logging.warning('w'); logging.getLogger('x').error('e')

import logging; logging.warning('to stderr %s', 1); logging.info('hidden')

import logging, sys; l = logging.getLogger('m'); h = logging.StreamHandler(sys.stdout); h.setFormatter(logging.Formatter('[%(levelname)-8s] %(message)s')); l.addHandler(h); l.setLevel('DEBUG'); l.debug('d'); l.critical('c'); l.propagate = False; print(l.level, l.name, l.handlers == [h])

import logging, sys; logging.basicConfig(stream=sys.stdout, format='%(message)s')
try: 1 / 0
except ZeroDivisionError: logging.exception('oops')

import logging; a = logging.getLogger('a'); b = logging.getLogger('a.b'); print(b.parent is a, a.getEffectiveLevel(), logging.getLevelName(20), logging.getLevelName('INFO'), a is logging.getLogger('a'), logging.getLogger().name, a.isEnabledFor(logging.DEBUG))

import logging; print(logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL, logging.NOTSET, logging.WARN, logging.FATAL)

import logging, sys; l = logging.getLogger('q'); l.addHandler(logging.StreamHandler(sys.stdout)); l.setLevel(logging.INFO); l.log(25, 'custom'); l.info('%(a)s', {'a': 1}); l.info('no args %s'); l.warning('x'); l.disabled = True; l.error('never')

import logging, sys; logging.basicConfig(stream=sys.stdout, format='{levelname} {message}', style='{'); logging.warning('brace')

import logging, io; s = io.StringIO(); l = logging.getLogger('z'); l.addHandler(logging.StreamHandler(s)); l.propagate = False; l.error('one'); print(repr(s.getvalue()))

import logging, sys
class F(logging.Filter):
    def filter(self, r): return 'keep' in r.getMessage()
l = logging.getLogger('f'); h = logging.StreamHandler(sys.stdout); h.addFilter(F()); l.addHandler(h); l.propagate = False; l.warning('keep me'); l.warning('drop')

import logging, sys
class H(logging.Handler):
    def emit(self, r): print('H', r.levelname, r.getMessage(), r.name, r.levelno, r.args)
l = logging.getLogger('h'); l.addHandler(H()); l.propagate = False; l.warning('a %s', 'b')

import logging, sys; logging.basicConfig(level='INFO', stream=sys.stdout, format='%(message)s', force=True); logging.disable(logging.INFO); logging.info('no'); logging.warning('yes')

import logging; logging.getLogger('a').setLevel('NOPE')

import logging, sys; l = logging.getLogger('n'); l.addHandler(logging.NullHandler()); l.propagate = False; l.error('nothing'); print(l.hasHandlers(), len(l.handlers)); l.removeHandler(l.handlers[0]); print(l.handlers)

import logging; logging.addLevelName(15, 'TRACE'); print(logging.getLevelName(15), logging.getLevelName(99))

import logging, sys; logging.basicConfig(stream=sys.stdout, format='%(funcName)s %(lineno)d %(message)s')
def fn(): logging.warning('here')
fn()

import logging; r = logging.LogRecord('n', 20, 'p.py', 5, 'msg %s', ('x',), None); print(r.getMessage(), r.levelname, logging.Formatter('%(name)s-%(message)s').format(r), logging.Formatter().format(r))

import logging, sys; logging.basicConfig(stream=sys.stdout, format='%(levelname)s %(message)s'); logging.getLogger('a.b.c').warning('deep'); logging.error('x', extra={'k': 1}); logging.critical('crit')

import logging, sys; l = logging.getLogger('t'); l.addHandler(logging.StreamHandler(sys.stdout)); l.warning('twice?'); l.addHandler(l.handlers[0]); print(len(l.handlers), repr(l), logging.getLogger('t').manager is not None)

import logging, sys; ad = logging.LoggerAdapter(logging.getLogger('ad'), {'u': 1}); logging.basicConfig(stream=sys.stdout, format='%(message)s %(u)s'); ad.warning('hello')
