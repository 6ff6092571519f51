// Package retrieval tests a retriever as its owner would: which paragraphs it finds
// for 27 questions, and at which rank. There is no judge, no key, no network and no
// recording, and so no TestMain; it takes a second.
//
//	go test -v ./example_test/retrieval
//
// The retriever is that of package assistant, with its documents, its splitter and its
// index; in words_test.go the embedding model gives way to the words of a text. For
// each question a reader has marked in testdata/questions.jsonl the paragraphs that
// answer it, with a grade: 3 is the answer or the core of it, 2 a part that the answer
// cannot do without, 1 what is good to know besides. The tag is the type of question:
//
//   - lookup: one paragraph answers it, mostly in the words of the question;
//   - multi-document: the answer is put together from several documents;
//   - paraphrase: it is asked in other words than the documents have.
//
// Questions that the documents do not answer are left out. There is nothing to find, so
// recall is undefined, and a retriever that always returns its five nearest cannot do
// well or badly at them: whether the system then says that it does not know is a
// question about the reader.
//
// A search for words finds every lookup, and half of the paraphrases. The mean over all
// questions does not tell; the table by tag does. texts_test.go has what can be told of
// answers without a judge.
package retrieval
