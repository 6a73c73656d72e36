//! What generated suites contain and how their tests are named.

use super::SettingValue;

/// What becomes of exceptions that code under test does not throw on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ImplicitExceptions {
    /// No test expects one.
    #[default]
    Drop,
    /// Tests expect them, in a class of their own.
    Keep,
}

impl ImplicitExceptions {
    /// All of them.
    pub const ALL: [ImplicitExceptions; 2] = [ImplicitExceptions::Drop, ImplicitExceptions::Keep];
}

impl SettingValue for ImplicitExceptions {
    const EXPECTED: &'static str = "drop or keep";

    fn all() -> Vec<ImplicitExceptions> {
        ImplicitExceptions::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            ImplicitExceptions::Drop => "drop",
            ImplicitExceptions::Keep => "keep",
        }
        .to_string()
    }
}

/// Which members of the code under test its tests use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Public and protected ones; those of the package only for goals that these do not reach.
    #[default]
    Public,
    /// All that a test in the package can use.
    Package,
}

impl Access {
    /// All of them.
    pub const ALL: [Access; 2] = [Access::Public, Access::Package];
}

impl SettingValue for Access {
    const EXPECTED: &'static str = "public or package";

    fn all() -> Vec<Access> {
        Access::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            Access::Public => "public",
            Access::Package => "package",
        }
        .to_string()
    }
}

/// The library whose assertions tests use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Assertions {
    /// AssertJ where the project's own tests use it at least as much as JUnit's assertions, otherwise JUnit.
    #[default]
    Auto,
    /// `assertEquals(3, stack.size())`
    Junit,
    /// `assertThat(stack.size()).isEqualTo(3)`
    Assertj,
}

impl Assertions {
    /// All of them.
    pub const ALL: [Assertions; 3] = [Assertions::Auto, Assertions::Junit, Assertions::Assertj];
}

impl SettingValue for Assertions {
    const EXPECTED: &'static str = "auto, junit or assertj";

    fn all() -> Vec<Assertions> {
        Assertions::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            Assertions::Auto => "auto",
            Assertions::Junit => "junit",
            Assertions::Assertj => "assertj",
        }
        .to_string()
    }
}

/// The form of the names of test methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TestNames {
    /// `pop_emptyStack_throwsIllegalStateException`
    #[default]
    MethodConditionResult,
    /// `testPopEmptyStackThrowsIllegalStateException`
    CamelCase,
    /// As the first, with a sentence in `@DisplayName` where JUnit has it.
    Sentences,
}

impl TestNames {
    /// All of them.
    pub const ALL: [TestNames; 3] = [TestNames::MethodConditionResult, TestNames::CamelCase, TestNames::Sentences];
}

impl SettingValue for TestNames {
    const EXPECTED: &'static str = "method-condition-result, camel-case or sentences";

    fn all() -> Vec<TestNames> {
        TestNames::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            TestNames::MethodConditionResult => "method-condition-result",
            TestNames::CamelCase => "camel-case",
            TestNames::Sentences => "sentences",
        }
        .to_string()
    }
}

/// Comments that tell the paragraphs of a test apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TestComments {
    /// Blank lines alone.
    #[default]
    None,
    /// `// given`, `// when` and `// then`
    GivenWhenThen,
}

impl TestComments {
    /// All of them.
    pub const ALL: [TestComments; 2] = [TestComments::None, TestComments::GivenWhenThen];
}

impl SettingValue for TestComments {
    const EXPECTED: &'static str = "none or given-when-then";

    fn all() -> Vec<TestComments> {
        TestComments::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            TestComments::None => "none",
            TestComments::GivenWhenThen => "given-when-then",
        }
        .to_string()
    }
}
