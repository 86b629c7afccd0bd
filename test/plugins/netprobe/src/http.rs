//! HTTP: `fetch` sends a request and answers what came, or the name of the error; `fields` checks headers.

use crate::params::{failed, kebab, Failure, Outcome, Params};
use crate::stream::write_all;
use serde_json::{json, Value};
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    ErrorCode, Fields, IncomingBody, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme,
};
use wasip2::io::streams::{InputStream, StreamError};

pub fn run(op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "fetch" => fetch(params),
        "fields" => fields(params),
        _ => return None,
    })
}

fn http_failed(code: ErrorCode) -> Failure {
    let text = format!("{code:?}");
    let name = text.split(['(', ' ', '{']).next().unwrap_or("").trim_start_matches("ErrorCode::");
    failed(-32000, &text, json!({ "http": kebab(name) }))
}

fn invalid(what: &str) -> Failure {
    failed(-32602, &format!("{what} was refused"), json!({ "refused": what }))
}

fn method_of(text: &str) -> Method {
    match text {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        "PATCH" => Method::Patch,
        other => Method::Other(other.into()),
    }
}

fn headers_of(list: Option<&Value>) -> Result<Fields, Failure> {
    let fields = Fields::new();
    for pair in list.and_then(Value::as_array).into_iter().flatten() {
        let (name, value) = (pair[0].as_str().unwrap_or(""), pair[1].as_str().unwrap_or(""));
        fields
            .append(name, &value.as_bytes().to_vec())
            .map_err(|error| failed(-32000, &format!("{error:?}"), json!({ "header": kebab(&format!("{error:?}").replace("HeaderError::", "")) })))?;
    }
    Ok(fields)
}

fn json_of(fields: &Fields) -> Value {
    let entries = fields.entries();
    Value::Array(entries.iter().map(|(name, value)| json!([name, String::from_utf8_lossy(value)])).collect())
}

fn fetch(params: &Params) -> Outcome {
    let request = OutgoingRequest::new(headers_of(params.get("headers"))?);
    request.set_method(&method_of(params.text_or("method", "GET"))).map_err(|()| invalid("method"))?;
    let scheme = match params.text_or("scheme", "http") {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.into()),
    };
    request.set_scheme(Some(&scheme)).map_err(|()| invalid("scheme"))?;
    request.set_authority(Some(params.text("authority")?)).map_err(|()| invalid("authority"))?;
    request.set_path_with_query(Some(params.text_or("path", "/"))).map_err(|()| invalid("path"))?;
    let options = RequestOptions::new();
    for (name, set) in [
        ("connect_ms", RequestOptions::set_connect_timeout as fn(&RequestOptions, Option<u64>) -> Result<(), ()>),
        ("first_byte_ms", RequestOptions::set_first_byte_timeout),
        ("between_bytes_ms", RequestOptions::set_between_bytes_timeout),
    ] {
        if let Ok(ms) = params.number(name) {
            set(&options, Some(ms * 1_000_000)).map_err(|()| invalid(name))?;
        }
    }
    let has_body = params.get("body").is_some();
    let body = if has_body { Some(request.body().map_err(|()| invalid("body"))?) } else { None };
    let future = handle(request, Some(options)).map_err(http_failed)?;
    if let Some(body) = body {
        send_body(body, &Params(params.get("body").unwrap_or(&Value::Null)))?;
    }
    future.subscribe().block();
    let response = loop {
        match future.get() {
            None => future.subscribe().block(),
            Some(answer) => break answer.map_err(|()| invalid("a second get"))?.map_err(http_failed)?,
        }
    };
    let (status, headers) = (response.status(), json_of(&response.headers()));
    let incoming = response.consume().map_err(|()| invalid("consume"))?;
    read_body(incoming, status, headers, params)
}

fn send_body(body: OutgoingBody, content: &Params) -> Result<(), Failure> {
    let out = body.write().map_err(|()| invalid("write"))?;
    for _ in 0..content.number_or("times", 1) {
        write_all(&out, &content.content()?)?;
    }
    drop(out);
    if content.flag("abandon") {
        return Ok(());
    }
    let trailers = content.get("trailers").map(|list| headers_of(Some(list))).transpose()?;
    OutgoingBody::finish(body, trailers).map_err(http_failed)
}

fn read_body(incoming: IncomingBody, status: u16, headers: Value, params: &Params) -> Outcome {
    let stream = incoming.stream().map_err(|()| invalid("stream"))?;
    let body = read_all(&stream, params.flag("quiet"));
    drop(stream);
    let body = body?;
    let future = IncomingBody::finish(incoming);
    let trailers = loop {
        match future.get() {
            None => future.subscribe().block(),
            Some(answer) => break answer.map_err(|()| invalid("a second get"))?.map_err(http_failed)?,
        }
    };
    Ok(json!({ "status": status, "headers": headers, "body": body, "trailers": trailers.map(|fields| json_of(&fields)) }))
}

/// The text, or with `quiet` the size alone.
fn read_all(stream: &InputStream, quiet: bool) -> Outcome {
    let mut all = Vec::new();
    let mut size = 0;
    loop {
        match stream.blocking_read(65536) {
            Ok(bytes) => {
                size += bytes.len();
                if !quiet {
                    all.extend_from_slice(&bytes);
                }
            }
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(error)) => {
                return Err(match wasip2::http::types::http_error_code(&error) {
                    Some(code) => http_failed(code),
                    None => failed(-32000, &error.to_debug_string(), Value::Null),
                })
            }
        }
    }
    Ok(if quiet { json!(size) } else { json!(String::from_utf8_lossy(&all)) })
}

/// Every operation of fields on the `list`, for a test of what is refused and how names compare.
fn fields(params: &Params) -> Outcome {
    let fields = headers_of(params.get("list"))?;
    let name = params.text_or("name", "accept");
    let copy = fields.clone();
    let set = copy.set(name, &[b"set".to_vec()]).map_err(|error| kebab(&format!("{error:?}")));
    let deleted = fields.clone();
    let delete = deleted.delete(name).map_err(|error| kebab(&format!("{error:?}")));
    let request = OutgoingRequest::new(fields.clone());
    let frozen = request.headers().append("x-more", &b"x".to_vec()).map_err(|error| kebab(&format!("{error:?}")));
    Ok(json!({
        "entries": json_of(&fields),
        "get": fields.get(name).iter().map(|value| String::from_utf8_lossy(value).to_string()).collect::<Vec<_>>(),
        "has": fields.has(name),
        "set": [json!(set.err()), json_of(&copy)],
        "delete": [json!(delete.err()), json_of(&deleted)],
        "frozen": frozen.err(),
    }))
}
