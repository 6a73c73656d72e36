//! Methods by which classes under test say that their objects are as they want them (feedback-directed random generation,
//! section 2: user-defined contracts).

use super::{CONTRACT_METHOD, Checked, Contract, must_not_throw};

/// The program knows the methods; each check is a call of one of them on an object.
pub struct ContractMethod;

impl Contract for ContractMethod {
    fn name(&self) -> &'static str {
        CONTRACT_METHOD
    }

    fn law(&self) -> &'static str {
        "methods that are marked `@CheckRep`, or named by `contract-methods`, return true, or return at all if they are `void`"
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        let method = checked.called.map(ToString::to_string).unwrap_or_default();
        let is_false = || checked.boolean(0) == Some(false);
        must_not_throw(&method, checked)
            .or_else(|| is_false().then(|| format!("{method} must return true, but returned false")))
    }
}
