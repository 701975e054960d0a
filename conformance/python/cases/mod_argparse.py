import argparse; p = argparse.ArgumentParser(); p.add_argument('--lr', type=float, default=0.1); p.add_argument('--n', type=int); p.add_argument('name'); print(p.parse_args(['x', '--lr', '0.5']), p.parse_args(['--n=3', 'y']))

import argparse; p = argparse.ArgumentParser(); p.add_argument('-v', '--verbose', action='store_true'); p.add_argument('--no-cuda', action='store_false', dest='cuda'); a = p.parse_args(['-v']); print(a.verbose, a.cuda, vars(a))

import argparse; p = argparse.ArgumentParser(); p.add_argument('--l', nargs='+', type=int); p.add_argument('--o', nargs='?', const='c', default='d'); p.add_argument('r', nargs='*'); print(p.parse_args(['a', 'b', '--l', '1', '2']), p.parse_args(['--o']), p.parse_args(['--o', 'x']))

import argparse; p = argparse.ArgumentParser(prog='t', description='Desc.'); p.add_argument('--lr', type=float, default=0.1, help='rate (default: %(default)s)', metavar='LR'); p.add_argument('file', help='the file'); p.print_help()

import argparse; p = argparse.ArgumentParser(prog='t'); p.add_argument('--n', type=int); p.parse_args(['--n', 'x'])

import argparse; p = argparse.ArgumentParser(prog='t'); p.add_argument('f'); p.parse_args([])

import argparse; p = argparse.ArgumentParser(prog='t'); p.parse_args(['--zzz'])

import argparse; p = argparse.ArgumentParser(prog='t'); p.add_argument('--c', choices=['a', 'b']); print(p.parse_args(['--c', 'a'])); p.parse_args(['--c', 'q'])

import argparse; p = argparse.ArgumentParser(prog='t'); p.add_argument('--r', required=True); p.parse_args([])

import argparse; p = argparse.ArgumentParser(); p.add_argument('-c', action='count', default=0); p.add_argument('-a', action='append'); p.add_argument('--k', action='store_const', const=5); print(p.parse_args(['-ccc', '-a', '1', '-a', '2', '--k']))

import argparse; p = argparse.ArgumentParser(); s = p.add_subparsers(dest='cmd'); q = s.add_parser('run'); q.add_argument('--x', type=int, default=1); s.add_parser('stop'); print(p.parse_args(['run', '--x', '5']), p.parse_args(['stop']))

import argparse; p = argparse.ArgumentParser(); g = p.add_mutually_exclusive_group(); g.add_argument('--a', action='store_true'); g.add_argument('--b', action='store_true'); print(p.parse_args(['--a'])); p.prog = 't'; p.parse_args(['--a', '--b'])

import argparse; p = argparse.ArgumentParser(); p.add_argument('--x', type=int); a, rest = p.parse_known_args(['--x', '1', '--y', 'z']); print(a, rest)

import argparse; p = argparse.ArgumentParser(); p.set_defaults(z=9); p.add_argument('--batch-size', type=int, default=32); a = p.parse_args([]); print(a.batch_size, a.z, a == argparse.Namespace(batch_size=32, z=9), 'z' in a)

import argparse; p = argparse.ArgumentParser(prog='t', formatter_class=argparse.ArgumentDefaultsHelpFormatter); p.add_argument('--e', type=int, default=3, help='epochs'); p.add_argument('--flag', action='store_true', help='a flag'); print(p.format_help())

import argparse; p = argparse.ArgumentParser(prog='t', usage='t [x]', epilog='end'); g = p.add_argument_group('group', 'about'); g.add_argument('--q', help='q help'); print(p.format_usage(), p.format_help())

import argparse
def pos(s):
    v = int(s)
    if v < 0: raise argparse.ArgumentTypeError('must be positive')
    return v
p = argparse.ArgumentParser(prog='t'); p.add_argument('--p', type=pos); print(p.parse_args(['--p', '3'])); p.parse_args(['--p=-3'])

import argparse; p = argparse.ArgumentParser(prog='t'); p.add_argument('--version', action='version', version='%(prog)s 1.0'); p.parse_args(['--version'])

import argparse; p = argparse.ArgumentParser(); p.add_argument('--learning-rate', type=float); print(p.parse_args(['--learn', '0.1']), p.parse_args(['--learning-rate=1e-3']))

import argparse; p = argparse.ArgumentParser(); p.add_argument('--f', action=argparse.BooleanOptionalAction, default=True); print(p.parse_args(['--no-f']), p.parse_args([]))

import argparse; p = argparse.ArgumentParser(); p.add_argument('x', type=int, nargs=2); p.add_argument('-n', type=float, default=None); print(p.parse_args(['1', '2', '-n', '-1.5']), p.parse_args(['--', '3', '4']))

import argparse
class A(argparse.Action):
    def __call__(self, parser, ns, values, opt=None): setattr(ns, self.dest, values.upper())
p = argparse.ArgumentParser(); p.add_argument('--u', action=A); print(p.parse_args(['--u', 'abc']))

import argparse; print(argparse.Namespace(a=1, b='x'), repr(argparse.Namespace()), vars(argparse.Namespace(q=2)))
