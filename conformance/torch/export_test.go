package torch

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var exportTo = flag.String("export", "", "write the cases for vectors.py to this file")

// TestExport writes the sweep's cases where -export says; vectors.py runs it.
func TestExport(t *testing.T) {
	list := cases()
	seen := map[string]bool{}
	for _, c := range list {
		if seen[c.ID] {
			t.Errorf("two cases named %s", c.ID)
		}
		seen[c.ID] = true
	}
	if *exportTo == "" {
		return
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*exportTo, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}
