//! Endpoints: interfaces that a running process serves on a port of the world's loopback (chapter 5).

/// A connection to an endpoint of another process.
///
/// The functions that [`import!`](crate::import) writes for endpoint interfaces take one.
#[derive(Debug)]
pub struct Endpoint(std::convert::Infallible);

impl Endpoint {
    /// Calls a method of the endpoint.
    ///
    /// ```
    /// fn status(endpoint: &sausage_plugin::Endpoint) -> sausage_plugin::Result<String> {
    ///     endpoint.call("status", &())
    /// }
    /// ```
    pub fn call<P: serde::Serialize + ?Sized, R: serde::de::DeserializeOwned>(&self, _: &str, _: &P) -> crate::Result<R> {
        match self.0 {}
    }
}
