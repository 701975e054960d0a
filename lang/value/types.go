package value

import (
	"reflect"
	"sync"

	"go.starlark.net/starlark"
)

// The built-in classes that are not exceptions.
var (
	ObjectClass, TypeClass *Class

	NoneClass, IntClass, BoolClass, FloatClass, StrClass, BytesClass, ComplexClass, ListClass, TupleClass,
	DictClass, SetClass, FrozenSetClass, RangeClass, SliceClass, FunctionClass, BuiltinClass,
	MethodClass, MethodDescriptorClass, PropertyClass, ClassMethodClass, StaticMethodClass,
	SuperClass, ModuleClass, CellClass, GeneratorClass, TracebackClass, FrameClass, CodeClass, NotImplementedClass, EllipsisClass,
	UnionClass, AliasClass, ProxyClass *Class

	ListIterClass, TupleIterClass, StrIterClass, BytesIterClass, RangeIterClass, DictIterClass,
	SetIterClass, SeqIterClass, CallIterClass, HostIterClass, ZipClass, MapClass, FilterClass,
	EnumerateClass, ReversedClass *Class

	dictValueIterClass, dictItemIterClass, listReverseIterClass *Class

	DictKeysClass, DictValuesClass, DictItemsClass *Class
)

func init() {
	ObjectClass = NewClass("object", "builtins")
	TypeClass = NewClass("type", "builtins")
	builtin := func(p **Class, name string, bases ...*Class) {
		*p = NewClass(name, "builtins", bases...)
	}
	final := func(p **Class, name string) {
		builtin(p, name)
		(*p).Final = true
	}
	builtin(&IntClass, "int")
	builtin(&BoolClass, "bool", IntClass)
	BoolClass.Final = true
	builtin(&FloatClass, "float")
	builtin(&ComplexClass, "complex")
	builtin(&StrClass, "str")
	builtin(&BytesClass, "bytes")
	builtin(&ListClass, "list")
	builtin(&TupleClass, "tuple")
	builtin(&DictClass, "dict")
	builtin(&SetClass, "set")
	builtin(&FrozenSetClass, "frozenset")
	builtin(&PropertyClass, "property")
	builtin(&ClassMethodClass, "classmethod")
	builtin(&StaticMethodClass, "staticmethod")
	builtin(&SuperClass, "super")
	builtin(&ModuleClass, "module")
	final(&NoneClass, "NoneType")
	final(&RangeClass, "range")
	final(&SliceClass, "slice")
	final(&FunctionClass, "function")
	final(&BuiltinClass, "builtin_function_or_method")
	final(&MethodClass, "method")
	final(&MethodDescriptorClass, "method_descriptor")
	final(&CellClass, "cell")
	final(&GeneratorClass, "generator")
	final(&TracebackClass, "traceback")
	final(&FrameClass, "frame")
	final(&CodeClass, "code")
	final(&NotImplementedClass, "NotImplementedType")
	final(&EllipsisClass, "ellipsis")
	final(&UnionClass, "UnionType")
	final(&AliasClass, "GenericAlias")
	UnionClass.Module, AliasClass.Module = "types", "types"
	final(&ProxyClass, "mappingproxy")
	final(&ListIterClass, "list_iterator")
	final(&TupleIterClass, "tuple_iterator")
	final(&StrIterClass, "str_iterator")
	final(&BytesIterClass, "bytes_iterator")
	final(&RangeIterClass, "range_iterator")
	final(&DictIterClass, "dict_keyiterator")
	final(&dictValueIterClass, "dict_valueiterator")
	final(&dictItemIterClass, "dict_itemiterator")
	final(&listReverseIterClass, "list_reverseiterator")
	final(&SetIterClass, "set_iterator")
	final(&SeqIterClass, "iterator")
	final(&CallIterClass, "callable_iterator")
	final(&HostIterClass, "host_iterator")
	final(&ZipClass, "zip")
	final(&MapClass, "map")
	final(&FilterClass, "filter")
	final(&EnumerateClass, "enumerate")
	final(&ReversedClass, "reversed")
	final(&DictKeysClass, "dict_keys")
	final(&DictValuesClass, "dict_values")
	final(&DictItemsClass, "dict_items")
	initExceptions()
	initObjectMethods()
	initNumberMethods()
	initComplexMethods()
	initStrMethods()
	initBytesMethods()
	initListMethods()
	initDictMethods()
	initSetMethods()
	initIterMethods()
	initOperatorMethods()
	initUniverse()
}

// hasClass is implemented by objects that know their class.
type hasClass interface{ ClassOf() *Class }

// TypeOf is the class of x.
func TypeOf(x Value) *Class {
	if x.IsTagged() {
		switch {
		case x.IsInt():
			return IntClass
		case x.IsFloat():
			return FloatClass
		case x.IsBool():
			return BoolClass
		}
		return NoneClass
	}
	switch x.N {
	case 0:
		panic("BUG: TypeOf of an unset value")
	case ItabInstance:
		return (*Instance)(x.P).Shape.Class
	case ItabString:
		return StrClass
	case ItabList:
		return ListClass
	case ItabDict:
		return DictClass
	case ItabTuple:
		return TupleClass
	case ItabClass:
		return (*Class)(x.P).MetaClass()
	case ItabBigInt:
		return IntClass
	case ItabBytes:
		return BytesClass
	case ItabBuiltin:
		if (*Builtin)(x.P).Method {
			return MethodDescriptorClass
		}
		return BuiltinClass
	}
	switch o := x.iface().(type) {
	case hasClass:
		return o.ClassOf()
	case *Set:
		if o.Const {
			return FrozenSetClass
		}
		return SetClass
	case *Range:
		return RangeClass
	case *Slice:
		return SliceClass
	case *Module:
		return ModuleClass
	case *Cell:
		return CellClass
	case *BoundMethod:
		if o.Fn.Is(ItabBuiltin) {
			return BuiltinClass
		}
		return MethodClass
	case *Property:
		return PropertyClass
	case *ClassMethod:
		return ClassMethodClass
	case *StaticMethod:
		return StaticMethodClass
	case *Super:
		return SuperClass
	case *singleton:
		if o.name == "Ellipsis" {
			return EllipsisClass
		}
		return NotImplementedClass
	case starlark.String:
		return StrClass
	case *starlark.Builtin:
		return BuiltinClass
	default:
		return foreignClass(o)
	}
}

var (
	foreignMu      sync.Mutex
	foreignClasses = map[reflect.Type]*Class{}
)

// foreignClass is the class that stands for a host's Go type.
func foreignClass(x starlark.Value) *Class {
	foreignMu.Lock()
	defer foreignMu.Unlock()
	t := reflect.TypeOf(x)
	c := foreignClasses[t]
	if c == nil {
		c = NewClass(x.Type(), "", ObjectClass)
		c.Final = true
		foreignClasses[t] = c
	}
	return c
}

// TypeName is the name of x's type as the thread's dialect has it.
func TypeName(t *Thread, x Value) string {
	if t != nil && t.Dialect == Strict {
		switch {
		case x.IsInt() || x.Is(ItabBigInt):
			return "int"
		case x.IsFloat():
			return "float"
		case x.IsBool():
			return "bool"
		case x.IsNone():
			return "NoneType"
		}
		return x.iface().Type()
	}
	return TypeOf(x).Name
}

// typeName is TypeOf(x).Name.
func typeName(x Value) string { return TypeOf(x).Name }

// classBearer returns the class whose special methods decide what operators do
// with x: an instance's, a machine or host object's, a class's metaclass. It is
// nil for values of built-in types, whose operators are Go code.
func classBearer(x Value) *Class {
	if x.IsTagged() {
		return nil
	}
	switch x.N {
	case ItabInstance:
		return (*Instance)(x.P).Shape.Class
	case ItabString, ItabList, ItabDict, ItabTuple, ItabBuiltin, ItabBigInt, ItabBytes, 0:
		return nil
	case ItabClass:
		if c := (*Class)(x.P); c.Meta != nil && c.Meta != TypeClass {
			return c.Meta
		}
		return nil
	}
	if o, ok := x.iface().(AttrObject); ok {
		return o.ClassOf()
	}
	return nil
}
