package op
import ("testing";"os";"strings";"fmt")
func TestZZ(t *testing.T){
 raw,_:=os.ReadFile("/tmp/op2/names.txt")
 for _,l:=range strings.Fields(string(raw)){
  name:=l[strings.LastIndex(l,".")+1:]
  base:=strings.TrimSuffix(name,"_")
  if len(Overloads(name))>0 || len(Overloads(base))>0 {continue}
  fmt.Print(l," ")
 }
 fmt.Println()
}
