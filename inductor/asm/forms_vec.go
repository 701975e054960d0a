package asm

// The table. pp: 0 none, 1 66, 2 F3, 3 F2; mm: 1 0F, 2 0F38, 3 0F3A.

var table []*Form

func add(f Form) *Form {
	if f.ext == 0 {
		f.ext = -1
	} else {
		f.ext-- // rows give digit + 1
	}
	p := new(Form)
	*p = f
	table = append(table, p)
	return p
}

// Forms are the rows, for tests.
func Forms() []*Form { return table }

// vvv is dst, v, rm of full length with broadcast.
func vvv(name string, pp, mm, op, w, ew uint8, fl flag) *Form {
	return add(Form{Name: name, pp: pp, mm: mm, op: op, w: w, ew: ew, reg: full, v: full, rm: full, flags: fl | bcast})
}

// plain is dst, v, rm without broadcast, VEX only.
func plain(name string, pp, mm, op, w uint8, fl flag) *Form {
	return add(Form{Name: name, pp: pp, mm: mm, op: op, w: w, reg: full, v: full, rm: full, flags: fl | vexOnly})
}

// vv is dst, rm of given classes.
func vv(name string, pp, mm, op, w, ew uint8, reg, rm class, fl flag) *Form {
	return add(Form{Name: name, pp: pp, mm: mm, op: op, w: w, ew: ew, reg: reg, rm: rm, flags: fl})
}

func withImm(f *Form) *Form { f.imm = true; return f }

func withElem(f *Form, n int32) *Form { f.elem = n; return f }

func shiftI(name string, op uint8, digit int8, ew uint8, fl flag) *Form {
	f := add(Form{Name: name, pp: 1, mm: 1, op: op, ew: ew, rm: full, ext: digit + 1, imm: true, flags: fl | bcast | regOnly})
	return f
}

var (
	// moves
	VMOVUPS   = vv("vmovups", 0, 1, 0x10, 0, 0, full, full, 0)
	VMOVUPSst = vv("vmovups", 0, 1, 0x11, 0, 0, full, full, store)
	VMOVUPD   = vv("vmovupd", 1, 1, 0x10, 0, 1, full, full, 0)
	VMOVUPDst = vv("vmovupd", 1, 1, 0x11, 0, 1, full, full, store)
	VMOVAPS   = vv("vmovaps", 0, 1, 0x28, 0, 0, full, full, 0)
	VMOVAPD   = vv("vmovapd", 1, 1, 0x28, 0, 1, full, full, 0)
	VMOVNTPS  = vv("vmovntps", 0, 1, 0x2b, 0, 0, full, full, store|memOnly|noMask)
	VMOVSS    = withElem(vv("vmovss", 2, 1, 0x10, 0, 0, low, low, memOnly|noMask|l0), 4)
	VMOVSSst  = withElem(vv("vmovss", 2, 1, 0x11, 0, 0, low, low, store|memOnly|noMask|l0), 4)
	VMOVSD    = withElem(vv("vmovsd", 3, 1, 0x10, 0, 1, low, low, memOnly|noMask|l0), 8)
	VMOVSDst  = withElem(vv("vmovsd", 3, 1, 0x11, 0, 1, low, low, store|memOnly|noMask|l0), 8)
	VMOVDr    = withElem(vv("vmovd", 1, 1, 0x6e, 0, 0, low, r32, noMask|l0), 4)         // xmm <- r32
	VMOVQr    = withElem(vv("vmovq", 1, 1, 0x6e, 1, 1, low, r64, noMask|l0|regOnly), 8) // xmm <- r64
	RVMOVD    = withElem(vv("vmovd", 1, 1, 0x7e, 0, 0, low, r32, store|noMask|l0), 4)
	RVMOVQ    = withElem(vv("vmovq", 1, 1, 0x7e, 1, 1, low, r64, store|noMask|l0|regOnly), 8)

	VMASKMOVPS   = add(Form{Name: "vmaskmovps", pp: 1, mm: 2, op: 0x2c, reg: full, v: full, rm: full, flags: vexOnly | memOnly})
	VMASKMOVPD   = add(Form{Name: "vmaskmovpd", pp: 1, mm: 2, op: 0x2d, reg: full, v: full, rm: full, flags: vexOnly | memOnly})
	VMASKMOVPSst = add(Form{Name: "vmaskmovps", pp: 1, mm: 2, op: 0x2e, reg: full, v: full, rm: full, flags: vexOnly | memOnly | store})
	VMASKMOVPDst = add(Form{Name: "vmaskmovpd", pp: 1, mm: 2, op: 0x2f, reg: full, v: full, rm: full, flags: vexOnly | memOnly | store})

	VBROADCASTSS = withElem(vv("vbroadcastss", 1, 2, 0x18, 0, 0, full, low, 0), 4)
	VBROADCASTSD = withElem(vv("vbroadcastsd", 1, 2, 0x19, 0, 1, full, low, noL128), 8)
	VPBROADCASTD = withElem(vv("vpbroadcastd", 1, 2, 0x58, 0, 0, full, low, 0), 4)
	VPBROADCASTQ = withElem(vv("vpbroadcastq", 1, 2, 0x59, 0, 1, full, low, 0), 8)
	VPBROADCASTR = vv("vpbroadcastd", 1, 2, 0x7c, 0, 0, full, r32, evexOnly|regOnly)
	VPBROADCASTS = vv("vpbroadcastq", 1, 2, 0x7c, 1, 1, full, r64, evexOnly|regOnly)

	// float arithmetic
	VADDPS  = vvv("vaddps", 0, 1, 0x58, 0, 0, 0)
	VADDPD  = vvv("vaddpd", 1, 1, 0x58, 0, 1, 0)
	VMULPS  = vvv("vmulps", 0, 1, 0x59, 0, 0, 0)
	VMULPD  = vvv("vmulpd", 1, 1, 0x59, 0, 1, 0)
	VSUBPS  = vvv("vsubps", 0, 1, 0x5c, 0, 0, 0)
	VSUBPD  = vvv("vsubpd", 1, 1, 0x5c, 0, 1, 0)
	VMINPS  = vvv("vminps", 0, 1, 0x5d, 0, 0, 0)
	VMINPD  = vvv("vminpd", 1, 1, 0x5d, 0, 1, 0)
	VDIVPS  = vvv("vdivps", 0, 1, 0x5e, 0, 0, 0)
	VDIVPD  = vvv("vdivpd", 1, 1, 0x5e, 0, 1, 0)
	VMAXPS  = vvv("vmaxps", 0, 1, 0x5f, 0, 0, 0)
	VMAXPD  = vvv("vmaxpd", 1, 1, 0x5f, 0, 1, 0)
	VANDPS  = vvv("vandps", 0, 1, 0x54, 0, 0, 0)
	VANDPD  = vvv("vandpd", 1, 1, 0x54, 0, 1, 0)
	VANDNPS = vvv("vandnps", 0, 1, 0x55, 0, 0, 0)
	VANDNPD = vvv("vandnpd", 1, 1, 0x55, 0, 1, 0)
	VORPS   = vvv("vorps", 0, 1, 0x56, 0, 0, 0)
	VORPD   = vvv("vorpd", 1, 1, 0x56, 0, 1, 0)
	VXORPS  = vvv("vxorps", 0, 1, 0x57, 0, 0, 0)
	VXORPD  = vvv("vxorpd", 1, 1, 0x57, 0, 1, 0)
	VSQRTPS = vv("vsqrtps", 0, 1, 0x51, 0, 0, full, full, bcast)
	VSQRTPD = vv("vsqrtpd", 1, 1, 0x51, 0, 1, full, full, bcast)

	VFMADD132PS  = vvv("vfmadd132ps", 1, 2, 0x98, 0, 0, 0)
	VFMADD132PD  = vvv("vfmadd132pd", 1, 2, 0x98, 1, 1, 0)
	VFMADD213PS  = vvv("vfmadd213ps", 1, 2, 0xa8, 0, 0, 0)
	VFMADD213PD  = vvv("vfmadd213pd", 1, 2, 0xa8, 1, 1, 0)
	VFMADD231PS  = vvv("vfmadd231ps", 1, 2, 0xb8, 0, 0, 0)
	VFMADD231PD  = vvv("vfmadd231pd", 1, 2, 0xb8, 1, 1, 0)
	VFNMADD213PS = vvv("vfnmadd213ps", 1, 2, 0xac, 0, 0, 0)
	VFNMADD231PS = vvv("vfnmadd231ps", 1, 2, 0xbc, 0, 0, 0)
	VFNMADD213PD = vvv("vfnmadd213pd", 1, 2, 0xac, 1, 1, 0)
	VFNMADD231PD = vvv("vfnmadd231pd", 1, 2, 0xbc, 1, 1, 0)

	VROUNDPS    = withImm(vv("vroundps", 1, 3, 0x08, 0, 0, full, full, vexOnly))
	VROUNDPD    = withImm(vv("vroundpd", 1, 3, 0x09, 0, 0, full, full, vexOnly))
	VRNDSCALEPS = withImm(vv("vrndscaleps", 1, 3, 0x08, 0, 0, full, full, evexOnly|bcast))
	VRNDSCALEPD = withImm(vv("vrndscalepd", 1, 3, 0x09, 1, 1, full, full, evexOnly|bcast))
	VSCALEFPS   = vvv("vscalefps", 1, 2, 0x2c, 0, 0, evexOnly)
	VSCALEFPD   = vvv("vscalefpd", 1, 2, 0x2c, 1, 1, evexOnly)

	// comparison, selection
	VCMPPS   = withImm(plain("vcmpps", 0, 1, 0xc2, 0, 0))
	VCMPPD   = withImm(plain("vcmppd", 1, 1, 0xc2, 0, 0))
	VCMPPSK  = add(Form{Name: "vcmpps", pp: 0, mm: 1, op: 0xc2, reg: kreg, v: full, rm: full, imm: true, flags: evexOnly | bcast | noZero})
	VCMPPDK  = add(Form{Name: "vcmppd", pp: 1, mm: 1, op: 0xc2, w: 1, ew: 1, reg: kreg, v: full, rm: full, imm: true, flags: evexOnly | bcast | noZero})
	VPCMPDK  = add(Form{Name: "vpcmpd", pp: 1, mm: 3, op: 0x1f, reg: kreg, v: full, rm: full, imm: true, flags: evexOnly | bcast | noZero})
	VPCMPQK  = add(Form{Name: "vpcmpq", pp: 1, mm: 3, op: 0x1f, w: 1, ew: 1, reg: kreg, v: full, rm: full, imm: true, flags: evexOnly | bcast | noZero})
	VPCMPUDK = add(Form{Name: "vpcmpud", pp: 1, mm: 3, op: 0x1e, reg: kreg, v: full, rm: full, imm: true, flags: evexOnly | bcast | noZero})
	VPCMPUQK = add(Form{Name: "vpcmpuq", pp: 1, mm: 3, op: 0x1e, w: 1, ew: 1, reg: kreg, v: full, rm: full, imm: true, flags: evexOnly | bcast | noZero})
	VPCMPEQD = plain("vpcmpeqd", 1, 1, 0x76, 0, 0)
	VPCMPEQQ = plain("vpcmpeqq", 1, 2, 0x29, 0, 0)
	VPCMPGTD = plain("vpcmpgtd", 1, 1, 0x66, 0, 0)
	VPCMPGTQ = plain("vpcmpgtq", 1, 2, 0x37, 0, 0)

	VBLENDVPS  = plain("vblendvps", 1, 3, 0x4a, 0, 0)
	VBLENDVPD  = plain("vblendvpd", 1, 3, 0x4b, 0, 0)
	VBLENDMPS  = vvv("vblendmps", 1, 2, 0x65, 0, 0, evexOnly)
	VBLENDMPD  = vvv("vblendmpd", 1, 2, 0x65, 1, 1, evexOnly)
	VPTERNLOGD = withImm(vvv("vpternlogd", 1, 3, 0x25, 0, 0, evexOnly))
	VPTERNLOGQ = withImm(vvv("vpternlogq", 1, 3, 0x25, 1, 1, evexOnly))
	VPMOVM2D   = vv("vpmovm2d", 2, 2, 0x38, 0, 0, full, kreg, evexOnly|regOnly|noMask)
	VPMOVM2Q   = vv("vpmovm2q", 2, 2, 0x38, 1, 1, full, kreg, evexOnly|regOnly|noMask)
	VPMOVD2M   = vv("vpmovd2m", 2, 2, 0x39, 0, 0, kreg, full, evexOnly|regOnly|noMask)
	VPMOVQ2M   = vv("vpmovq2m", 2, 2, 0x39, 1, 1, kreg, full, evexOnly|regOnly|noMask)
	VMOVMSKPS  = vv("vmovmskps", 0, 1, 0x50, 0, 0, r32, full, vexOnly|regOnly)
	VMOVMSKPD  = vv("vmovmskpd", 1, 1, 0x50, 0, 0, r32, full, vexOnly|regOnly)

	// integers
	VPADDD   = vvv("vpaddd", 1, 1, 0xfe, 0, 0, 0)
	VPADDQ   = vvv("vpaddq", 1, 1, 0xd4, 0, 1, 0)
	VPSUBD   = vvv("vpsubd", 1, 1, 0xfa, 0, 0, 0)
	VPSUBQ   = vvv("vpsubq", 1, 1, 0xfb, 0, 1, 0)
	VPMULLD  = vvv("vpmulld", 1, 2, 0x40, 0, 0, 0)
	VPMULLQ  = vvv("vpmullq", 1, 2, 0x40, 1, 1, evexOnly)
	VPMULUDQ = vvv("vpmuludq", 1, 1, 0xf4, 0, 1, 0)
	VPMINSD  = vvv("vpminsd", 1, 2, 0x39, 0, 0, 0)
	VPMINSQ  = vvv("vpminsq", 1, 2, 0x39, 1, 1, evexOnly)
	VPMAXSD  = vvv("vpmaxsd", 1, 2, 0x3d, 0, 0, 0)
	VPMAXSQ  = vvv("vpmaxsq", 1, 2, 0x3d, 1, 1, evexOnly)
	VPABSD   = vv("vpabsd", 1, 2, 0x1e, 0, 0, full, full, bcast)
	VPABSQ   = vv("vpabsq", 1, 2, 0x1f, 1, 1, full, full, evexOnly|bcast)
	VPSLLDI  = shiftI("vpslld", 0x72, 6, 0, 0)
	VPSRLDI  = shiftI("vpsrld", 0x72, 2, 0, 0)
	VPSRADI  = shiftI("vpsrad", 0x72, 4, 0, 0)
	VPSLLQI  = shiftI("vpsllq", 0x73, 6, 1, 0)
	VPSRLQI  = shiftI("vpsrlq", 0x73, 2, 1, 0)
	VPSRAQI  = shiftI("vpsraq", 0x72, 4, 1, evexOnly)
	VPSLLVD  = vvv("vpsllvd", 1, 2, 0x47, 0, 0, 0)
	VPSLLVQ  = vvv("vpsllvq", 1, 2, 0x47, 1, 1, 0)
	VPSRLVD  = vvv("vpsrlvd", 1, 2, 0x45, 0, 0, 0)
	VPSRLVQ  = vvv("vpsrlvq", 1, 2, 0x45, 1, 1, 0)
	VPSRAVD  = vvv("vpsravd", 1, 2, 0x46, 0, 0, 0)
	VPSRAVQ  = vvv("vpsravq", 1, 2, 0x46, 1, 1, evexOnly)

	// conversion
	VCVTDQ2PS  = vv("vcvtdq2ps", 0, 1, 0x5b, 0, 0, full, full, bcast)
	VCVTPS2DQ  = vv("vcvtps2dq", 1, 1, 0x5b, 0, 0, full, full, bcast)
	VCVTTPS2DQ = vv("vcvttps2dq", 2, 1, 0x5b, 0, 0, full, full, bcast)
	VCVTDQ2PD  = vv("vcvtdq2pd", 2, 1, 0xe6, 0, 0, full, half, bcast)
	VCVTTPD2DQ = vv("vcvttpd2dq", 1, 1, 0xe6, 0, 1, half, full, bcast)
	VCVTPD2DQ  = vv("vcvtpd2dq", 3, 1, 0xe6, 0, 1, half, full, bcast)
	VCVTPS2PD  = vv("vcvtps2pd", 0, 1, 0x5a, 0, 0, full, half, bcast)
	VCVTPD2PS  = vv("vcvtpd2ps", 1, 1, 0x5a, 0, 1, half, full, bcast)
	VCVTQQ2PD  = vv("vcvtqq2pd", 2, 1, 0xe6, 1, 1, full, full, evexOnly|bcast)
	VCVTTPD2QQ = vv("vcvttpd2qq", 1, 1, 0x7a, 1, 1, full, full, evexOnly|bcast)
	VCVTQQ2PS  = vv("vcvtqq2ps", 0, 1, 0x5b, 1, 1, half, full, evexOnly|bcast)
	VCVTTPS2QQ = vv("vcvttps2qq", 1, 1, 0x7a, 0, 0, full, half, evexOnly|bcast)
	VCVTPH2PS  = vv("vcvtph2ps", 1, 2, 0x13, 0, 0, full, half, 0)
	VCVTPS2PH  = withImm(vv("vcvtps2ph", 1, 3, 0x1d, 0, 0, full, half, store))
	VPMOVSXBD  = vv("vpmovsxbd", 1, 2, 0x21, 0, 0, full, quart, 0)
	VPMOVZXBD  = vv("vpmovzxbd", 1, 2, 0x31, 0, 0, full, quart, 0)
	VPMOVSXWD  = vv("vpmovsxwd", 1, 2, 0x23, 0, 0, full, half, 0)
	VPMOVZXWD  = vv("vpmovzxwd", 1, 2, 0x33, 0, 0, full, half, 0)
	VPMOVSXDQ  = vv("vpmovsxdq", 1, 2, 0x25, 0, 0, full, half, 0)
	VPMOVZXDQ  = vv("vpmovzxdq", 1, 2, 0x35, 0, 0, full, half, 0)
	VPMOVQD    = vv("vpmovqd", 2, 2, 0x35, 0, 0, full, half, evexOnly|store)
	VPMOVDB    = vv("vpmovdb", 2, 2, 0x31, 0, 0, full, quart, evexOnly|store)
	VPMOVDW    = vv("vpmovdw", 2, 2, 0x33, 0, 0, full, half, evexOnly|store)

	VCVTSI2SD  = add(Form{Name: "vcvtsi2sd", pp: 3, mm: 1, op: 0x2a, w: 1, ew: 1, reg: low, v: low, rm: r64, flags: regOnly | noMask | l0})
	VCVTSI2SS  = add(Form{Name: "vcvtsi2ss", pp: 2, mm: 1, op: 0x2a, w: 1, ew: 1, reg: low, v: low, rm: r64, flags: regOnly | noMask | l0})
	VCVTTSD2SI = withElem(vv("vcvttsd2si", 3, 1, 0x2c, 1, 1, r64, low, noMask|l0), 8)
	VCVTTSS2SI = withElem(vv("vcvttss2si", 2, 1, 0x2c, 1, 1, r64, low, noMask|l0), 4)

	// permutation
	VEXTRACTF128  = withElem(withImm(vv("vextractf128", 1, 3, 0x19, 0, 0, full, low, vexOnly|store|noL128|noL512)), 16)
	VEXTRACTF32X4 = withElem(withImm(vv("vextractf32x4", 1, 3, 0x19, 0, 0, full, low, evexOnly|store|noL128)), 16)
	VEXTRACTF64X4 = withImm(vv("vextractf64x4", 1, 3, 0x1b, 1, 1, full, half, evexOnly|store|onlyL512))
	VINSERTF128   = withElem(withImm(add(Form{Name: "vinsertf128", pp: 1, mm: 3, op: 0x18, reg: full, v: full, rm: low, flags: vexOnly | noL128 | noL512})), 16)
	VINSERTF64X4  = withImm(add(Form{Name: "vinsertf64x4", pp: 1, mm: 3, op: 0x1a, w: 1, ew: 1, reg: full, v: full, rm: half, flags: evexOnly | onlyL512}))
	VSHUFPS       = withImm(vvv("vshufps", 0, 1, 0xc6, 0, 0, 0))
	VSHUFPD       = withImm(vvv("vshufpd", 1, 1, 0xc6, 0, 1, 0))
	VSHUFF32X4    = withImm(vvv("vshuff32x4", 1, 3, 0x23, 0, 0, evexOnly|noL128))
	VPERM2F128    = withImm(plain("vperm2f128", 1, 3, 0x06, 0, noL128))
	VPERMPS       = vvv("vpermps", 1, 2, 0x16, 0, 0, noL128)
	VPERMD        = vvv("vpermd", 1, 2, 0x36, 0, 0, noL128)
	VPSHUFD       = withImm(vv("vpshufd", 1, 1, 0x70, 0, 0, full, full, bcast))
	VPSHUFB       = plain("vpshufb", 1, 2, 0x00, 0, 0)
	VPACKUSDW     = plain("vpackusdw", 1, 2, 0x2b, 0, 0)
	VPACKUSWB     = plain("vpackuswb", 1, 1, 0x67, 0, 0)
	VUNPCKLPS     = vvv("vunpcklps", 0, 1, 0x14, 0, 0, 0)
	VUNPCKHPS     = vvv("vunpckhps", 0, 1, 0x15, 0, 0, 0)

	// gathers: registers below VEX take a mask in vvvv, EVEX ones an opmask
	VGATHERDPS  = add(Form{Name: "vgatherdps", pp: 1, mm: 2, op: 0x92, reg: full, rm: full, flags: evexOnly | memOnly | vsib | noZero})
	VGATHERDPD  = add(Form{Name: "vgatherdpd", pp: 1, mm: 2, op: 0x92, w: 1, ew: 1, reg: full, rm: full, flags: evexOnly | memOnly | vsib | noZero})
	VGATHERQPD  = add(Form{Name: "vgatherqpd", pp: 1, mm: 2, op: 0x93, w: 1, ew: 1, reg: full, rm: full, flags: evexOnly | memOnly | vsib | noZero})
	VGATHERQPS  = add(Form{Name: "vgatherqps", pp: 1, mm: 2, op: 0x93, reg: half, rm: full, flags: evexOnly | memOnly | vsib | noZero})
	VSCATTERDPS = add(Form{Name: "vscatterdps", pp: 1, mm: 2, op: 0xa2, reg: full, rm: full, flags: evexOnly | memOnly | vsib | noZero | store})
	VGATHERDPSV = add(Form{Name: "vgatherdps", pp: 1, mm: 2, op: 0x92, reg: full, v: full, rm: full, flags: vexOnly | memOnly | vsib | swapVRM})
	VGATHERDPDV = add(Form{Name: "vgatherdpd", pp: 1, mm: 2, op: 0x92, w: 1, reg: full, v: full, rm: full, flags: vexOnly | memOnly | vsib | swapVRM})
	VGATHERQPDV = add(Form{Name: "vgatherqpd", pp: 1, mm: 2, op: 0x93, w: 1, reg: full, v: full, rm: full, flags: vexOnly | memOnly | vsib | swapVRM})

	// bfloat16 and 8-bit dot products
	VCVTNEPS2BF16 = vv("vcvtneps2bf16", 2, 2, 0x72, 0, 0, half, full, evexOnly|bcast)
	VDPBF16PS     = vvv("vdpbf16ps", 2, 2, 0x52, 0, 0, evexOnly)
	VPDPBUSD      = vvv("vpdpbusd", 1, 2, 0x50, 0, 0, evexOnly)

	// opmasks and bits
	KMOVWr   = vv("kmovw", 0, 1, 0x92, 0, 0, kreg, r32, vexOnly|regOnly|l0)
	KMOVDr   = vv("kmovd", 3, 1, 0x92, 0, 0, kreg, r32, vexOnly|regOnly|l0)
	KMOVQr   = vv("kmovq", 3, 1, 0x92, 1, 0, kreg, r64, vexOnly|regOnly|l0)
	RKMOVW   = vv("kmovw", 0, 1, 0x93, 0, 0, r32, kreg, vexOnly|regOnly|l0)
	RKMOVQ   = vv("kmovq", 3, 1, 0x93, 1, 0, r64, kreg, vexOnly|regOnly|l0)
	KMOVW    = vv("kmovw", 0, 1, 0x90, 0, 0, kreg, kreg, vexOnly|regOnly|l0)
	KANDW    = add(Form{Name: "kandw", mm: 1, op: 0x41, reg: kreg, v: kreg, rm: kreg, flags: vexOnly | regOnly | kL1})
	KANDNW   = add(Form{Name: "kandnw", mm: 1, op: 0x42, reg: kreg, v: kreg, rm: kreg, flags: vexOnly | regOnly | kL1})
	KORTESTW = vv("kortestw", 0, 1, 0x98, 0, 0, kreg, kreg, vexOnly|regOnly|l0)
	BZHI     = add(Form{Name: "bzhi", mm: 2, op: 0xf5, w: 1, reg: r64, v: r64, rm: r64, flags: vexOnly | l0 | swapVRM})
)

// kL1 rows are encoded with length 256; swapVRM rows print the middle operand
// last; onlyL512 rows have no shorter form.
const (
	kL1 flag = 1 << (iota + 12)
	swapVRM
	onlyL512
)
