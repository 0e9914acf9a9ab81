// Package tokenizer converts texts to the token ids that a text encoder was trained with.
//
// It implements three algorithms: byte pair encoding as in CLIP (with the text cleaning of OpenAI
// or of Hugging Face), WordPiece as in BERT, and the unigram model of SentencePiece as in SigLIP
// and T5. [Open] reads the files of a model folder and selects the algorithm.
//
// Read tokenizer.go first (the common type), then folder.go (the files of a folder), clip.go and
// bytepair.go, wordpiece.go, unigram.go and sentencepiece.go (the model file of SentencePiece).
//
//	t, err := tokenizer.Open("models/all-MiniLM-L6-v2")
//	ids := t.Encode("a dog runs", 128) // start and end tokens included
//
// Sources: Sennrich, Haddow and Birch 2016 (byte pairs), Wu et al. 2016 (WordPiece), Kudo 2018
// (unigram).
package tokenizer
