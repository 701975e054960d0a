package larkspur

import (
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur/stdlib/torch"
)

// pythonModules are the top-level modules of CPython 3.11's standard library, by
// sys.stdlib_module_names, but for private ones and those of other systems.
const pythonModules = ` abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins
bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib
contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip
enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib
heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma
mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc nis nntplib numbers opcode operator optparse os pathlib pdb
pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri
random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr
socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile
telnetlib tempfile termios test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle
types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport
zlib zoneinfo `

// lacking is what the error about a module that is not found adds for one that
// Python or PyTorch has.
func lacking(name string) string {
	if slices.Contains(strings.Fields(pythonModules), name) {
		return ": it is part of Python's standard library, but Larkspur does not have it"
	}
	if strings.HasPrefix(name, "torch.") && torch.InPyTorch(name) {
		return ": it exists in PyTorch, but not in Larkspur"
	}
	return ""
}
