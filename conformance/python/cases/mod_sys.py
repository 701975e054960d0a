import sys; print(sys.version_info.major, sys.version_info[:2], sys.version_info >= (3, 7), len(sys.version_info), sys.version_info.releaselevel)

import sys; print(sys.argv, type(sys.path).__name__, sys.platform, sys.byteorder, sys.maxsize, sys.maxunicode)

import sys; sys.exit(0)

import sys; sys.exit()

import sys
try: sys.exit('bye')
except SystemExit as e: print(repr(e), e.code, e.args)

import sys
try: sys.exit((1, 2))
except SystemExit as e: print(e.code)

import sys; print('out', file=sys.stdout); sys.stdout.write('w\n'); sys.stdout.flush(); sys.stdout.writelines(['a\n', 'b\n']); print(sys.stdout.encoding.lower(), sys.stdout.name, sys.stdout.mode)

import sys; print(sys.stdout.writable(), sys.stdout.readable(), sys.stdin.name, sys.stderr.name, sys.__stdout__ is sys.stdout)

import sys, io; old = sys.stdout; sys.stdout = io.StringIO(); print('captured'); s = sys.stdout.getvalue(); sys.stdout = old; print(repr(s))

import sys; print(sys.float_info.max, sys.float_info.epsilon, sys.float_info.min, sys.float_info.dig, sys.float_info.mant_dig)

import sys; print(sys.int_info.bits_per_digit, sys.hash_info.width, sys.hash_info.modulus, sys.hash_info.inf)

import sys; print(sys.getrecursionlimit()); sys.setrecursionlimit(500); print(sys.getrecursionlimit()); sys.setrecursionlimit(0)

import sys
try: 1 / 0
except ZeroDivisionError: t, v, tb = sys.exc_info(); print(t.__name__, v, tb is v.__traceback__, tb.tb_lineno)
print(sys.exc_info())

import sys; print(sys.modules['sys'] is sys, 'json' in sys.modules, type(sys.modules).__name__, sys.modules['__main__'].__name__)

import sys, types; m = types.ModuleType('fake'); m.x = 5; sys.modules['fake'] = m; import fake; print(fake.x, fake is m)

import sys; sys.modules['gone'] = None; import gone

import sys
def f(): return sys._getframe().f_code.co_name, sys._getframe(1).f_code.co_name, sys._getframe().f_lineno
print(f())

import sys; print(sys.intern('abc') is sys.intern('abc'), sys.getsizeof(1) > 0, sys.getrefcount([]) > 0, callable(sys.settrace), sys.flags.optimize, sys.dont_write_bytecode in (True, False))

import sys; print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.executable.__class__.__name__, sys.prefix.__class__.__name__, sys.copyright.__class__.__name__, sys.api_version)

import sys; print(sys.builtin_module_names.__class__.__name__, 'math' in sys.stdlib_module_names, sys.implementation.name.__class__.__name__, sys.hexversion >= 0x030b0000, sys.version.split()[0].split('.')[0])

import sys
def hook(t, v, tb): print('hook', t.__name__, v)
sys.excepthook = hook
raise ValueError('x')

import sys; sys.displayhook(5); sys.displayhook(None); sys.displayhook('s')

import sys; sys.stderr.write('err\n'); print('e2', file=sys.stderr); sys.exit('last words')

import sys; print(sys.get_int_max_str_digits()); sys.set_int_max_str_digits(700); int('1' * 701)

import sys; str(10 ** 5000)

import sys; print(sys.thread_info.name.__class__.__name__, sys.is_finalizing(), sys.getswitchinterval() > 0, sys.orig_argv.__class__.__name__, sys.exception())
