//! The closed vocabularies of the model: facts whose values are words. Their spelling here is the one in rules, JSON and messages.

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every word of this vocabulary.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word as rules, JSON and messages spell it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The value that a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// What a site is.
    Kind {
        /// A failed operation is tried again, success leaves, and someone waits for the result.
        Retry = "retry",
        /// The same for a connection, stream or session that the surrounding task keeps alive.
        Reconnect = "reconnect",
        /// A home-grown engine that retries its closure or future argument.
        Helper = "helper",
        /// A function that calls itself again after a failure.
        Recursion = "recursion",
        /// A retry crate's policy, driver or middleware.
        Library = "library",
        /// A function, method or impl that computes the delay or the decision for others.
        Schedule = "schedule",
        /// Look-alike: not a failure, not yet.
        Poll = "poll",
        /// Look-alike: periodic work.
        Ticker = "ticker",
        /// Look-alike: in-process work (CAS, EINTR, file locks, parsing).
        Local = "local",
        /// Look-alike: sleeps to limit a rate.
        Pace = "pace",
        /// Look-alike: the next host, provider or item, not the same one.
        Failover = "failover",
    }
}

impl Kind {
    /// Whether a site of this kind retries; the others are look-alikes that only `audit --all` lists.
    pub fn is_real(self) -> bool {
        !matches!(self, Self::Poll | Self::Ticker | Self::Local | Self::Pace | Self::Failover)
    }
}

words! {
    /// How the delay changes from one attempt to the next.
    Growth {
        /// There is no delay.
        None = "none",
        /// The same each time, also where its size is not known.
        Constant = "constant",
        /// By a constant difference.
        Linear = "linear",
        /// By a constant ratio, or by a power of the attempt: faster than by a constant difference.
        Exponential = "exponential",
        /// As the sum of the last two.
        Fibonacci = "fibonacci",
        /// Read from a written table.
        Table = "table",
        /// Told by the server.
        Server = "server",
        /// Drawn from a range that does not change.
        Random = "random",
    }
}

words! {
    /// The random part of the delay.
    Jitter {
        /// No random part.
        None = "none",
        /// `U(0, d)`.
        Full = "full",
        /// `d/2 + U(0, d/2)`.
        Equal = "equal",
        /// `min(cap, U(base, 3 × previous))`.
        Decorrelated = "decorrelated",
        /// `d + U(0, j)`.
        Additive = "additive",
        /// `d × (1 ± f)`.
        Proportional = "proportional",
        /// Random, in a way that has no name here.
        Other = "other",
    }
}

words! {
    /// What delay arithmetic does when it runs out of range.
    Overflow {
        /// It panics.
        Panics = "panics",
        /// It wraps around (release) or panics (debug).
        Wraps = "wraps",
        /// The delay falls to zero.
        Zero = "zero",
    }
}

words! {
    /// What ends the attempts.
    BoundKind {
        /// A number of attempts.
        Bounded = "bounded",
        /// A limit on the total time.
        Deadline = "deadline",
        /// A stop signal, and nothing else.
        Cancellable = "cancellable",
        /// Nothing but success.
        Unbounded = "unbounded",
    }
}

words! {
    /// Which errors are tried again.
    ErrorKind {
        /// Every error.
        All = "all",
        /// Some, told apart by kind, variant or predicate.
        Classified = "classified",
        /// Some, told apart by an HTTP status.
        Status = "status",
    }
}

words! {
    /// What happens when the attempts are used up.
    Outcome {
        /// The caller gets an error.
        ReturnsError = "returns-error",
        /// The caller is told nothing.
        Swallowed = "swallowed",
        /// The thread panics or the process ends.
        Panics = "panics",
        /// They are never used up.
        Never = "never",
    }
}

words! {
    /// What becomes of the last error.
    LastError {
        /// It is returned, or is the cause of what is returned.
        Kept = "kept",
        /// Another error takes its place.
        Dropped = "dropped",
        /// Nothing sets it on some path.
        Unset = "unset",
    }
}

words! {
    /// When the backoff starts over.
    Reset {
        /// Never.
        Never = "never",
        /// As soon as a connection stands.
        OnConnect = "on-connect",
        /// After useful work.
        AfterWork = "after-work",
        /// On each attempt.
        PerAttempt = "per-attempt",
    }
}

words! {
    /// What shares one attempt counter.
    SharedBy {
        /// Several items.
        Items = "items",
        /// A whole session.
        Session = "session",
    }
}

words! {
    /// An HTTP method.
    Method {
        /// GET
        Get = "GET",
        /// HEAD
        Head = "HEAD",
        /// OPTIONS
        Options = "OPTIONS",
        /// PUT
        Put = "PUT",
        /// POST
        Post = "POST",
        /// PATCH
        Patch = "PATCH",
        /// DELETE
        Delete = "DELETE",
    }
}

words! {
    /// How sure we are of a site or a finding.
    Confidence {
        /// Names or types of the vocabulary decided what flow could not.
        Medium = "medium",
        /// Flow and resolved names show it.
        High = "high",
    }
}

impl Growth {
    /// Whether each delay is longer than the one before, until a cap.
    pub fn grows(self) -> bool {
        matches!(self, Self::Linear | Self::Exponential | Self::Fibonacci | Self::Table)
    }
}
