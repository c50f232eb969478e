//! What the sources call: the crates themselves, but for the network and for the clock of blocking waits.

/// `std`, with a virtual clock and a server that fails.
pub mod std {
    pub use ::std::*;

    pub mod thread {
        pub use ::std::thread::*;

        pub fn sleep(duration: ::std::time::Duration) {
            crate::world::sleep(duration);
        }
    }

    pub mod net {
        pub use ::std::net::*;

        #[derive(Debug)]
        pub struct TcpStream;

        impl TcpStream {
            pub fn connect(_: impl ToString) -> ::std::io::Result<Self> {
                crate::stands::answer(Self)
            }
        }

        /// Closed at once.
        impl ::std::io::Read for TcpStream {
            fn read(&mut self, _: &mut [u8]) -> ::std::io::Result<usize> {
                Ok(0)
            }
        }
    }
}

/// `tokio`, with a server that fails.
pub mod tokio {
    pub use ::tokio::*;

    pub mod net {
        #[derive(Debug)]
        pub struct TcpStream;

        impl TcpStream {
            pub async fn connect(_: impl ToString) -> ::std::io::Result<Self> {
                crate::stands::answer(Self)
            }

            /// Closed at once.
            pub async fn readable(&self) -> ::std::io::Result<()> {
                Err(::std::io::ErrorKind::ConnectionReset.into())
            }
        }
    }
}

/// `reqwest`, with a client whose requests go nowhere.
pub mod reqwest {
    pub use ::reqwest::*;

    #[derive(Clone, Debug, Default)]
    pub struct Client;

    pub struct RequestBuilder;

    impl Client {
        pub fn new() -> Self {
            Self
        }

        pub fn get(&self, _: impl ToString) -> RequestBuilder {
            RequestBuilder
        }
    }

    impl RequestBuilder {
        pub async fn send(self) -> ::reqwest::Result<::reqwest::Response> {
            let (succeeds, told_s) = (crate::world::asked(), crate::world::told_s());
            if !succeeds && told_s > 0 {
                let response = ::http::Response::builder().status(429).header("retry-after", told_s);
                return Ok(response.body("").expect("a response").into());
            }
            let status = if succeeds { 200 } else { 503 };
            let response = ::http::Response::builder().status(status).body("").expect("a response");
            ::reqwest::Response::from(response).error_for_status()
        }
    }
}

fn answer<T>(stream: T) -> ::std::io::Result<T> {
    if crate::world::asked() {
        Ok(stream)
    } else {
        Err(::std::io::ErrorKind::ConnectionRefused.into())
    }
}
