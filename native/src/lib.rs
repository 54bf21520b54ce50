//! `gossamer_native`: the links of a page, what they are known by, and digests as an archive has them, for Python.
//!
//! Everything with a meaning is in the modules, which know nothing of Python; here their answers become objects, as few
//! of them per link as can be. The interpreter's lock is free while a page is read. What Gossamer expects of this module
//! is the number `PROTOCOL`, which changes with every change of a signature or of a meaning.

pub mod attributes;
pub mod charset;
pub mod digests;
mod entities;
pub mod facts;
pub mod identity;
pub mod links;
pub mod page;
pub mod resolve;
pub mod tags;

#[cfg(feature = "python")]
#[pyo3::pymodule]
mod gossamer_native {
    use pyo3::prelude::*;
    use pyo3::sync::PyOnceLock;
    use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

    use crate::charset::{self, Declared};
    use crate::digests::label;
    use crate::facts::Facts;
    use crate::identity;
    use crate::links::Hop;
    use crate::page::{self, Found, Parser, Reading};

    /// Bytes that hold the 4096 characters that are looked at for the text of a link, whatever they are.
    const ANCHOR_WINDOW: usize = 4 * 4096;

    #[pymodule_export]
    const PROTOCOL: u32 = 4;

    /// One link of a page, with the attributes of `gossamer.model.outlink.Outlink`.
    #[pyclass(frozen)]
    struct Link {
        #[pyo3(get)]
        url: Py<PyString>,
        hop: Hop,
        place: &'static str,
        rel: Option<Box<str>>,
        source: Py<Source>,
        text_start: Option<usize>,
        text: PyOnceLock<Py<PyAny>>,
    }

    #[pymethods]
    impl Link {
        #[getter]
        fn hop<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
            match self.hop {
                Hop::Link => pyo3::intern!(py, "L"),
                Hop::Embed => pyo3::intern!(py, "E"),
            }
        }

        #[getter]
        fn element<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
            PyString::intern(py, self.place)
        }

        /// The link's rel attribute as written.
        #[getter]
        fn rel(&self) -> Option<&str> {
            self.rel.as_deref()
        }

        /// The link's text, taken from the page when it is first asked for.
        #[getter]
        fn text<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
            Ok(self.text.get_or_try_init(py, || self.source.get().text_at(py, self.text_start))?.bind(py))
        }

        fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
            let url = self.url.bind(py).repr()?;
            Ok(format!("Outlink({url}, '{}', '{}')", self.hop(py), self.place))
        }
    }

    /// What all links of a page share.
    #[pyclass(frozen)]
    struct Source {
        data: Py<PyBytes>,
        /// The text of a link, from the bytes behind its start tag.
        text_of: Py<PyAny>,
    }

    impl Source {
        fn text_at(&self, py: Python<'_>, start: Option<usize>) -> PyResult<Py<PyAny>> {
            let Some(start) = start else { return Ok(PyString::new(py, "").into_any().unbind()) };
            let data = self.data.as_bytes(py);
            self.text_of.call1(py, (&data[start..data.len().min(start + ANCHOR_WINDOW)],))
        }
    }

    /// Reads pages: what they share.
    #[pyclass(frozen)]
    struct Reader {
        max_links: usize,
        product_token: String,
        base_url: Py<PyAny>,
        resolve_all: Py<PyAny>,
        text_of: Py<PyAny>,
    }

    #[pymethods]
    impl Reader {
        /// `product_token` in lower case; `base_url(url, href)`, `resolve_all(base, references)` and `text_of(bytes)`
        /// are asked for what is not read here.
        #[new]
        fn new(
            max_links: usize,
            product_token: String,
            base_url: Py<PyAny>,
            resolve_all: Py<PyAny>,
            text_of: Py<PyAny>,
        ) -> Self {
            Reader { max_links, product_token, base_url, resolve_all, text_of }
        }

        /// The links of a page of UTF-8, how many were too many, and whether it asks for noindex and nofollow.
        ///
        /// `url`: as serialized by the parser; `known`: URLs found in the headers.
        fn read<'py>(
            &self,
            py: Python<'py>,
            data: &Bound<'py, PyBytes>,
            url: &str,
            is_xml: bool,
            known: Vec<String>,
        ) -> PyResult<(Bound<'py, PyList>, usize, bool, bool)> {
            let text = data.as_bytes();
            let found = py.detach(|| {
                let parser = Asking { reader: self, url };
                let product_token = &self.product_token;
                Reading { parser, url, is_xml, max_links: self.max_links, product_token, known }.read(text)
            })?;
            let asked = found.directives;
            let dropped = found.dropped;
            Ok((self.links(py, data, found)?, dropped, asked.is_noindex, asked.is_nofollow))
        }
    }

    impl Reader {
        fn links<'py>(
            &self,
            py: Python<'py>,
            data: &Bound<'py, PyBytes>,
            found: Found,
        ) -> PyResult<Bound<'py, PyList>> {
            let source = Py::new(py, Source { data: data.clone().unbind(), text_of: self.text_of.clone_ref(py) })?;
            let link = |link: page::Link| {
                Py::new(
                    py,
                    Link {
                        url: PyString::new(py, &link.url).unbind(),
                        hop: link.hop,
                        place: link.place,
                        rel: link.rel,
                        source: source.clone_ref(py),
                        text_start: link.text_start,
                        text: PyOnceLock::new(),
                    },
                )
            };
            PyList::new(py, found.links.into_iter().map(link).collect::<PyResult<Vec<_>>>()?)
        }
    }

    /// The parser of Gossamer, asked with the interpreter's lock held.
    struct Asking<'a> {
        reader: &'a Reader,
        url: &'a str,
    }

    impl Parser for Asking<'_> {
        type Error = PyErr;

        fn base_url(&self, href: &str) -> PyResult<String> {
            Python::attach(|py| self.reader.base_url.call1(py, (self.url, href))?.extract(py))
        }

        fn resolve_all(&self, base: &str, references: &[&str]) -> PyResult<Vec<Option<String>>> {
            Python::attach(|py| self.reader.resolve_all.call1(py, (base, references))?.extract(py))
        }
    }

    /// Makes identities of links, under one job's key.
    #[pyclass(frozen)]
    struct Identifier(identity::Identifier);

    #[pymethods]
    impl Identifier {
        #[new]
        fn new(key: [u8; identity::KEY_BYTES]) -> Self {
            Identifier(identity::Identifier::new(&key))
        }

        /// The identity of each canonical URL and its host. Raises UnicodeEncodeError for what is no text.
        fn identify_all<'py>(
            &self,
            py: Python<'py>,
            links: Vec<(Bound<'py, PyString>, Bound<'py, PyString>)>,
        ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
            let identity = |(canonical, host): &(Bound<'py, PyString>, Bound<'py, PyString>)| {
                Ok(PyBytes::new(py, &self.0.identify(canonical.to_str()?, host.to_str()?)))
            };
            links.iter().map(identity).collect()
        }
    }

    /// `sha1:BASE32` of each of four SHA-1s: a capture needs so many. Raises ValueError for what is none.
    #[pyfunction]
    fn sha1_labels<'py>(py: Python<'py>, a: &[u8], b: &[u8], c: &[u8], d: &[u8]) -> PyResult<Bound<'py, PyTuple>> {
        let text = |digest: &[u8]| PyString::from_bytes(py, &label(digest.try_into()?));
        PyTuple::new(py, [text(a)?, text(b)?, text(c)?, text(d)?])
    }

    /// What the meta elements in the beginning of a document (UTF-8) declare as its encoding: whether each is a whole
    /// content type or the label alone, and its text.
    #[pyfunction]
    fn declared(head: &[u8]) -> Vec<(bool, String)> {
        let plain = |declared| match declared {
            Declared::Label(label) => (false, label.into_owned()),
            Declared::ContentType(content) => (true, content.into_owned()),
        };
        charset::declared(head).into_iter().map(plain).collect()
    }

    /// What a page of UTF-8 says of itself: the source of its title, its language, name -> content of its meta elements.
    #[pyfunction]
    fn facts<'py>(
        py: Python<'py>,
        data: &Bound<'py, PyBytes>,
        is_xml: bool,
    ) -> PyResult<(String, Option<String>, Bound<'py, PyDict>)> {
        let text = data.as_bytes();
        let found = py.detach(|| Facts::of(text, is_xml));
        let meta = PyDict::new(py);
        for (name, content) in found.meta {
            meta.set_item(name, content)?;
        }
        Ok((found.title, found.language, meta))
    }
}
