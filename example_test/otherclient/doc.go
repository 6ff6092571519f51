// Package otherclient is a RAG system of a few lines that asks its models
// through OpenAI's own client for Go. Its test records and replays it as that of
// any other client: a cache.Transport sees only HTTP. It is a module of its own,
// so that nobody who imports the library gets that client with it.
package otherclient
