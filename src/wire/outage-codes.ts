/** The other side was unreachable, hung up, or was too slow: codes of Node, its `fetch`, axios and HTTP/2. */
export const CONNECTION_LOST = new Set([
  "ABORT_ERR",
  "EADDRNOTAVAIL",
  "EAI_AGAIN",
  "EAI_FAIL",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETRESET",
  "ENETUNREACH",
  "ENOTCONN",
  "ENOTFOUND",
  "EPIPE",
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  // No more files, and so no connections, can be opened.
  "EMFILE",
  "ENFILE",
  "ESERVFAIL",
  "ETIMEOUT",
  "ERR_CANCELED",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_STREAM_CANCEL",
  "ERR_HTTP2_STREAM_ERROR",
  "ERR_NETWORK",
  "ERR_SOCKET_CLOSED",
  "ERR_SOCKET_CONNECTION_TIMEOUT",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ESOCKETTIMEDOUT",
  "ETIMEDOUT",
  "UND_ERR_ABORTED",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CLOSED",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_DESTROYED",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** A database or service behind a responder is down, starting, stopping, or full: codes of their clients. */
export const BACKEND_AWAY = new Set([
  // PostgreSQL: broken or too many connections, a server that stops or starts.
  "08000",
  "08001",
  "08003",
  "08004",
  "08006",
  "53300",
  "57P01",
  "57P02",
  "57P03",
  // Two conflicting transactions; a query that took too long.
  "40001",
  "40P01",
  "57014",
  "SQLITE_BUSY",
  // Prisma: not reached, too slow, hung up, no free connection.
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
  // MySQL.
  "PROTOCOL_CONNECTION_LOST",
  "ER_CON_COUNT_ERROR",
  "ER_SERVER_SHUTDOWN",
  // Redis.
  "NR_CLOSED",
  "UNCERTAIN_STATE",
  // Firebase, Supabase and Connect use gRPC's words.
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
  "RESOURCE_EXHAUSTED",
  "unavailable",
  "deadline-exceeded",
  "deadline_exceeded",
  "resource-exhausted",
  "resource_exhausted",
]);

/** gRPC's numbers: deadline exceeded, resource exhausted, unavailable. */
export const GRPC_AWAY = new Set([4, 8, 14]);

/** node-fetch reports it in `type`. */
export const FETCH_LATE = new Set(["request-timeout", "body-timeout"]);
