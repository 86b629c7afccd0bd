//! Endpoints: interfaces that a running process serves on a port of the world's loopback (chapter 5).

/// A connection to an endpoint of another process, which the functions take that [`import!`](crate::import) writes for
/// endpoint interfaces. This version of the SDK cannot make one yet: there is no value of this type.
#[derive(Debug)]
pub struct Endpoint(std::convert::Infallible);

impl Endpoint {
    /// Calls a method of the endpoint.
    ///
    /// ```
    /// # use serde_json::json;
    /// fn status(endpoint: &sausage_plugin::Endpoint) -> sausage_plugin::Result<String> {
    ///     endpoint.call("status", &json!({}))
    /// }
    /// ```
    pub fn call<P: serde::Serialize + ?Sized, R: serde::de::DeserializeOwned>(
        &self,
        _: &str,
        _: &P,
    ) -> crate::Result<R> {
        match self.0 {}
    }
}
