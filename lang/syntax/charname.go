package syntax

import (
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"
)

// charNames maps the names of Unicode characters to them; it is made when the
// first \N{NAME} is met.
var charNames = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 34000)
	for r := rune(0); r <= 0x10FFFF; r++ {
		if n := runenames.Name(r); n != "" && n[0] != '<' {
			names[n] = r
		}
	}
	return names
})

// CharNamed returns the character of a Unicode name, whose case counts for nothing.
// Names of ideographs and Hangul syllables are computed, as the standard defines them;
// aliases and named sequences are not known.
func CharNamed(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		n, err := strconv.ParseUint(hex, 16, 32)
		return rune(n), err == nil && CharName(rune(n)) == name
	}
	if s, ok := strings.CutPrefix(name, "HANGUL SYLLABLE "); ok {
		for i, l := range hangulL {
			if rest, ok := strings.CutPrefix(s, l); ok {
				for j, v := range hangulV {
					if t, ok := strings.CutPrefix(rest, v); ok {
						for k, last := range hangulT {
							if t == last {
								return rune(0xAC00 + (i*len(hangulV)+j)*len(hangulT) + k), true
							}
						}
					}
				}
			}
		}
		return 0, false
	}
	r, ok := charNames()[name]
	return r, ok
}

// CharName is the Unicode name of a character, or "".
func CharName(r rune) string {
	switch n := runenames.Name(r); {
	case strings.HasPrefix(n, "<CJK Ideograph"):
		return "CJK UNIFIED IDEOGRAPH-" + strings.ToUpper(strconv.FormatInt(int64(r), 16))
	case strings.HasPrefix(n, "<Hangul Syllable"):
		i := int(r) - 0xAC00
		return "HANGUL SYLLABLE " + hangulL[i/(len(hangulV)*len(hangulT))] + hangulV[i/len(hangulT)%len(hangulV)] + hangulT[i%len(hangulT)]
	case strings.HasPrefix(n, "<"):
		return ""
	default:
		return n
	}
}

// The short names of Hangul letters, in order (The Unicode Standard, section 3.12).
var (
	hangulL = strings.Split("G,GG,N,D,DD,R,M,B,BB,S,SS,,J,JJ,C,K,T,P,H", ",")
	hangulV = strings.Split("A,AE,YA,YAE,EO,E,YEO,YE,O,WA,WAE,OE,YO,U,WEO,WE,WI,YU,EU,YI,I", ",")
	hangulT = strings.Split(",G,GG,GS,N,NJ,NH,D,L,LG,LM,LB,LS,LT,LP,LH,M,B,BS,S,SS,NG,J,C,K,T,P,H", ",")
)

// identifier is a name as the language compares it: in normal form KC.
func identifier(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return norm.NFKC.String(s)
		}
	}
	return s
}
