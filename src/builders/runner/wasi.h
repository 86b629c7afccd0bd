/**
 * The functions of WASI 0.2 that the runner calls by itself, beside those that preview 1 has: waiting for several things
 * at once, sockets and HTTP. They stand here as the canonical ABI lowers them; results are written to `at`, whose layout
 * each caller knows. `runner.wit` says which interfaces these are.
 */
#ifndef WASI_H
#define WASI_H

#include <stdint.h>

#define IMPORT(interface, name) __attribute__((import_module("wasi:" interface "@0.2.12"), import_name(name)))
typedef int32_t handle;

IMPORT("cli/stdin", "get-stdin") handle wasi_get_stdin(void);
IMPORT("clocks/monotonic-clock", "subscribe-duration") handle wasi_subscribe_duration(uint64_t nanoseconds);

IMPORT("io/poll", "poll") void wasi_poll(const handle *list, int32_t count, void *at);
IMPORT("io/poll", "[resource-drop]pollable") void wasi_drop_pollable(handle pollable);
IMPORT("io/error", "[method]error.to-debug-string") void wasi_error_text(handle error, void *at);
IMPORT("io/error", "[resource-drop]error") void wasi_drop_error(handle error);
IMPORT("io/streams", "[method]input-stream.read") void wasi_read(handle stream, uint64_t most, void *at);
IMPORT("io/streams", "[method]input-stream.blocking-read") void wasi_blocking_read(handle stream, uint64_t most, void *at);
IMPORT("io/streams", "[method]input-stream.subscribe") handle wasi_subscribe_input(handle stream);
IMPORT("io/streams", "[resource-drop]input-stream") void wasi_drop_input(handle stream);
IMPORT("io/streams", "[method]output-stream.check-write") void wasi_check_write(handle stream, void *at);
IMPORT("io/streams", "[method]output-stream.write") void wasi_write(handle stream, const void *bytes, int32_t length, void *at);
IMPORT("io/streams", "[method]output-stream.flush") void wasi_flush(handle stream, void *at);
IMPORT("io/streams", "[method]output-stream.subscribe") handle wasi_subscribe_output(handle stream);
IMPORT("io/streams", "[resource-drop]output-stream") void wasi_drop_output(handle stream);

/** An `ip-socket-address`, flat: which kind, then the fields of IPv6, of which IPv4 uses the first five. */
#define ADDRESS int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t
IMPORT("sockets/instance-network", "instance-network") handle wasi_network(void);
IMPORT("sockets/tcp-create-socket", "create-tcp-socket") void wasi_create_tcp(int32_t family, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.start-bind") void wasi_start_bind(handle socket, handle network, ADDRESS, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.finish-bind") void wasi_finish_bind(handle socket, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.start-connect") void wasi_start_connect(handle socket, handle network, ADDRESS, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.finish-connect") void wasi_finish_connect(handle socket, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.start-listen") void wasi_start_listen(handle socket, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.finish-listen") void wasi_finish_listen(handle socket, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.accept") void wasi_accept(handle socket, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.local-address") void wasi_local_address(handle socket, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.remote-address") void wasi_remote_address(handle socket, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.shutdown") void wasi_shutdown(handle socket, int32_t how, void *at);
IMPORT("sockets/tcp", "[method]tcp-socket.subscribe") handle wasi_subscribe_tcp(handle socket);
IMPORT("sockets/tcp", "[resource-drop]tcp-socket") void wasi_drop_tcp(handle socket);
IMPORT("sockets/ip-name-lookup", "resolve-addresses") void wasi_lookup(handle network, const char *name, int32_t length, void *at);
IMPORT("sockets/ip-name-lookup", "[method]resolve-address-stream.resolve-next-address") void wasi_next_address(handle lookup, void *at);
IMPORT("sockets/ip-name-lookup", "[method]resolve-address-stream.subscribe") handle wasi_subscribe_lookup(handle lookup);
IMPORT("sockets/ip-name-lookup", "[resource-drop]resolve-address-stream") void wasi_drop_lookup(handle lookup);

#define HTTP "http/types"
IMPORT(HTTP, "[constructor]fields") handle wasi_fields(void);
IMPORT(HTTP, "[method]fields.append") void wasi_append_field(handle fields, const char *name, int32_t name_length, const char *value, int32_t length, void *at);
IMPORT(HTTP, "[method]fields.entries") void wasi_field_entries(handle fields, void *at);
IMPORT(HTTP, "[resource-drop]fields") void wasi_drop_fields(handle fields);
IMPORT(HTTP, "[constructor]outgoing-request") handle wasi_request(handle fields);
IMPORT(HTTP, "[method]outgoing-request.set-method") int32_t wasi_set_method(handle request, int32_t which, const char *other, int32_t length);
IMPORT(HTTP, "[method]outgoing-request.set-scheme") int32_t wasi_set_scheme(handle request, int32_t some, int32_t which, const char *other, int32_t length);
IMPORT(HTTP, "[method]outgoing-request.set-authority") int32_t wasi_set_authority(handle request, int32_t some, const char *text, int32_t length);
IMPORT(HTTP, "[method]outgoing-request.set-path-with-query") int32_t wasi_set_path(handle request, int32_t some, const char *text, int32_t length);
IMPORT(HTTP, "[method]outgoing-request.body") void wasi_request_body(handle request, void *at);
IMPORT(HTTP, "[resource-drop]outgoing-request") void wasi_drop_request(handle request);
IMPORT(HTTP, "[method]outgoing-body.write") void wasi_body_output(handle body, void *at);
IMPORT(HTTP, "[static]outgoing-body.finish") void wasi_finish_body(handle body, int32_t some, handle trailers, void *at);
IMPORT(HTTP, "[resource-drop]outgoing-body") void wasi_drop_outgoing_body(handle body);
IMPORT("http/outgoing-handler", "handle") void wasi_send_request(handle request, int32_t some, handle options, void *at);
IMPORT(HTTP, "[method]future-incoming-response.get") void wasi_future_get(handle future, void *at);
IMPORT(HTTP, "[method]future-incoming-response.subscribe") handle wasi_subscribe_future(handle future);
IMPORT(HTTP, "[resource-drop]future-incoming-response") void wasi_drop_future(handle future);
IMPORT(HTTP, "[method]incoming-response.status") int32_t wasi_status(handle response);
IMPORT(HTTP, "[method]incoming-response.headers") handle wasi_response_headers(handle response);
IMPORT(HTTP, "[method]incoming-response.consume") void wasi_consume(handle response, void *at);
IMPORT(HTTP, "[resource-drop]incoming-response") void wasi_drop_response(handle response);
IMPORT(HTTP, "[method]incoming-body.stream") void wasi_body_input(handle body, void *at);
IMPORT(HTTP, "[resource-drop]incoming-body") void wasi_drop_incoming_body(handle body);

#endif
