import textwrap; print(textwrap.wrap('The quick brown fox jumped over the lazy dog', 15))

import textwrap; print(textwrap.fill('aaa bbb ccc ddd', 7)); print(textwrap.fill('', 10) == '')

import textwrap; print(textwrap.wrap('averyveryverylongword short', 8), textwrap.wrap('averyveryverylongword', 8, break_long_words=False))

import textwrap; print(textwrap.dedent('  a\n    b\n  c\n')); print(repr(textwrap.dedent('\n    x\n  y\n')))

import textwrap; print(repr(textwrap.dedent('\tx\n\ty')), repr(textwrap.dedent('  \n a\n   \n')), repr(textwrap.dedent('no indent')))

import textwrap; print(textwrap.indent('a\nb\n\nc', '> ')); print(textwrap.indent('a\n\nb', '- ', lambda l: True))

import textwrap; print(textwrap.shorten('Hello  world, how are you', 15), textwrap.shorten('Hello world', 11), textwrap.shorten('Hello world', 8, placeholder='...'))

import textwrap; textwrap.shorten('Hello world', 3, placeholder='......')

import textwrap; print(textwrap.fill('one two three four five', 12, initial_indent='* ', subsequent_indent='  '))

import textwrap; w = textwrap.TextWrapper(width=10, max_lines=2); print(w.wrap('aa bb cc dd ee ff gg hh')); print(w.fill('short'))

import textwrap; print(textwrap.wrap('a\tb\nc  d', 20), textwrap.wrap('a\nb', 20, replace_whitespace=False), textwrap.wrap('a  b', 20, drop_whitespace=False))

import textwrap; print(textwrap.wrap('well-known state-of-the-art', 12), textwrap.wrap('well-known state-of-the-art', 12, break_on_hyphens=False))

import textwrap; print(textwrap.wrap('word ' * 5, 5), textwrap.wrap('   lead', 10), textwrap.wrap('x' * 25, 10))

import textwrap; textwrap.wrap('a', 0)

import textwrap; print(textwrap.wrap('Hello. World! Yes? ok', 30, fix_sentence_endings=True))

import textwrap; print(textwrap.wrap('one two three', 7, max_lines=1), textwrap.wrap('one two three', 7, max_lines=2, placeholder='~'))

import textwrap; print(textwrap.fill('A long help text for an argument that should be wrapped at some width to look nice.', width=40))

import textwrap; print(textwrap.wrap('tab\there', 20, expand_tabs=False), textwrap.wrap('tab\there', 20, tabsize=4))

import textwrap; print(textwrap.dedent('''
    class A:
        def f(self):
            pass
    ''').strip())

import textwrap; print(textwrap.indent(textwrap.dedent('  x = 1\n  y = 2'), ' ' * 4)); print(textwrap.indent('', 'p'), repr(textwrap.indent('a\r\nb', '+')))

import textwrap; print(textwrap.wrap('aaaa bbbb', 4), textwrap.wrap('aaaa bbbb', 3), len(textwrap.wrap('lorem ipsum ' * 20)), textwrap.wrap('é ü ñ ö', 3))
