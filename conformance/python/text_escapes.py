print('a\
b', 'tab\tx', 'nl\\n', '\x41\u00e9\U0001F600\101\0x', r'\x41', b'\x41\n', '''tri
ple "q" 'q' ''', """d'q""", 'a' "b" '''c''', rb'\n', u'u', f'{1}' r'\d', '\a\b\f\v'.encode(), '%s' '%d' % (1, 2), len('\n\r\t'), '\'', "\"")
s = 'x' \
    'y'; print(s); print(('a'
 'b')); print(len('é'), len('e\u0301'), '\u00e9' == 'é', ord('€'), chr(8364), 'ß'.upper())
