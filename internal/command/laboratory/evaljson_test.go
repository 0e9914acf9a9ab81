package laboratory

import (
	"encoding/json"
	"testing"
)

func TestEvalAsJSONPrintsResultsAndNothingElse(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := train(t, folder, "--dataset", builtInScenes, "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	text, err := eval(t, folder, "--dataset", builtInScenes, "--method", "clip", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var results []result
	if err := json.Unmarshal([]byte(text), &results); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	if len(results) != 1 || results[0].Method != "clip" || results[0].T2I.Recall1 <= 0 {
		t.Errorf("results %+v", results)
	}
}
