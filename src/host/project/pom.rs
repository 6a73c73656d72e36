//! A POM: as a module's own file says it, and as Maven's `effective-pom` does with all inheritance resolved.

use super::{Element, ProjectError};
use crate::files;
use model::options::{PartialOptions, Raw, SETTINGS, SettingError, SettingInfo};
use std::path::{Path, PathBuf};
use thiserror::Error;

const PLUGIN_GROUP: &str = "dev.randgen";
const PLUGIN_ARTIFACT: &str = "randgen-maven-plugin";

/// A POM's project element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pom {
    /// Where its file lies; of an effective POM empty, as those do not say.
    pub basedir: PathBuf,
    /// The parent's, if it has none of its own.
    pub group_id: Option<String>,
    /// The module's name.
    pub artifact_id: String,
    /// Such as `jar`; modules that only hold others are `pom`.
    pub packaging: String,
    /// The modules that it lists.
    pub modules: Vec<ModuleReference>,
    element: Element,
}

/// A `<module>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleReference {
    pub path: String,
    pub line: usize,
}

/// A setting in a POM that randgen does not take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("in the configuration of {PLUGIN_ARTIFACT} of module {module}: {error}")]
pub struct PomSettingError {
    /// The module's name.
    pub module: String,
    /// What is wrong with it.
    pub error: SettingError,
}

impl Pom {
    pub(super) fn read(path: &Path) -> Result<Pom, ProjectError> {
        let bytes =
            files::read(path).map_err(|source| ProjectError::Unreadable { path: path.to_path_buf(), source })?;
        let element =
            Element::parse(&bytes).map_err(|error| ProjectError::Malformed { path: path.to_path_buf(), error })?;
        let mut pom = Pom::from_element(element, path)?;
        pom.basedir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok(pom)
    }

    fn from_element(element: Element, path: &Path) -> Result<Pom, ProjectError> {
        if element.name != "project" {
            return Err(ProjectError::NotAPom { path: path.to_path_buf(), found: element.name });
        }
        let text = |path: &[&str]| element.text_at(path).map(str::to_string);
        let modules = element.child("modules").map_or(Vec::new(), |modules| {
            let named = modules.children_named("module");
            named.map(|module| ModuleReference { path: module.text.clone(), line: module.line }).collect()
        });
        Ok(Pom {
            basedir: PathBuf::new(),
            group_id: text(&["groupId"]).or_else(|| text(&["parent", "groupId"])),
            artifact_id: text(&["artifactId"]).unwrap_or_default(),
            packaging: text(&["packaging"]).unwrap_or("jar".to_string()),
            modules,
            element,
        })
    }

    /// A property of the POM; without those of its parents unless it is an effective one.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.element.text_at(&["properties", name])
    }

    /// A text in the build section, such as that of `outputDirectory`.
    pub fn build(&self, name: &str) -> Option<&str> {
        self.element.text_at(&["build", name])
    }

    /// The version of the Java language that its tests are compiled with: 8 for `1.8`.
    pub fn source_level(&self) -> Option<u16> {
        let said = ["testRelease", "release", "testSource", "source"]
            .iter()
            .find_map(|name| self.compiler(name).or_else(|| self.property(&format!("maven.compiler.{name}"))))?;
        said.strip_prefix("1.").unwrap_or(said).parse().ok()
    }

    /// The encoding that its sources are compiled with.
    pub fn source_encoding(&self) -> Option<&str> {
        self.compiler("encoding").or_else(|| self.property("project.build.sourceEncoding"))
    }

    /// A text in the compiler plugin's configuration.
    fn compiler(&self, name: &str) -> Option<&str> {
        self.plugin("org.apache.maven.plugins", "maven-compiler-plugin")?.text_at(&["configuration", name])
    }

    /// The settings in properties `randgen.<name>` and, stronger, in the plugin's configuration.
    pub fn settings(&self) -> Result<PartialOptions, PomSettingError> {
        let mut settings = PartialOptions::default();
        let mut set = |name: &str, raw: Raw| {
            settings.set(name, &raw).map_err(|error| PomSettingError { module: self.artifact_id.clone(), error })
        };
        for name in SETTINGS.iter().flat_map(SettingInfo::build_names) {
            if let Some(text) = self.property(&format!("randgen.{name}")) {
                set(&name, Raw::Bare(text.to_string()))?;
            }
        }
        let Some(plugin) = self.plugin(PLUGIN_GROUP, PLUGIN_ARTIFACT) else { return Ok(settings) };
        // What `mvn randgen:generate` takes: the plugin's configuration, and that of the command line's execution.
        let executions = plugin.child("executions").into_iter().flat_map(|all| all.children_named("execution"));
        let executions = executions.filter(|execution| execution.text_at(&["id"]) == Some("default-cli"));
        let configurations = std::iter::once(plugin).chain(executions).filter_map(|part| part.child("configuration"));
        for setting in configurations.flat_map(|configuration| &configuration.children) {
            let members = setting.children.iter().map(|member| Raw::Bare(member.text.clone()));
            let raw = match (setting.children.is_empty(), setting.text.is_empty()) {
                (false, _) => Raw::List(members.collect()),
                (true, false) => Raw::Bare(setting.text.clone()),
                // Maven passes nothing for an empty element.
                (true, true) => continue,
            };
            set(&setting.name, raw)?;
        }
        Ok(settings)
    }

    /// A plugin's element, in `plugins` or else in `pluginManagement`.
    fn plugin(&self, group: &str, artifact: &str) -> Option<&Element> {
        let build = self.element.child("build")?;
        let places = [build.child("plugins"), build.descend(&["pluginManagement", "plugins"])];
        places.into_iter().flatten().flat_map(|plugins| plugins.children_named("plugin")).find(|plugin| {
            plugin.text_at(&["groupId"]).unwrap_or("org.apache.maven.plugins") == group
                && plugin.text_at(&["artifactId"]) == Some(artifact)
        })
    }
}

/// Reads what `help:effective-pom` writes: one project, or a list of them.
pub fn read_effective(path: &Path) -> Result<Vec<Pom>, ProjectError> {
    let bytes = files::read(path).map_err(|source| ProjectError::Unreadable { path: path.to_path_buf(), source })?;
    let element =
        Element::parse(&bytes).map_err(|error| ProjectError::Malformed { path: path.to_path_buf(), error })?;
    let projects = if element.name == "projects" { element.children } else { vec![element] };
    projects.into_iter().map(|project| Pom::from_element(project, path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::options::Glob;

    fn pom(inside: &str) -> Pom {
        let element = Element::parse(format!("<project><artifactId>shop</artifactId>{inside}</project>").as_bytes());
        Pom::from_element(element.unwrap(), Path::new("pom.xml")).unwrap()
    }

    fn plugin(group: &str, artifact: &str, inside: &str) -> String {
        format!("<plugin><groupId>{group}</groupId><artifactId>{artifact}</artifactId>{inside}</plugin>")
    }

    #[test]
    fn settings_come_from_properties_and_the_plugins_configuration() {
        let configuration = "<configuration><targetClasses><param>a.*</param><param>b</param></targetClasses>\
             <timeLimit>3</timeLimit><junit/></configuration>\
             <executions><execution><id>other</id><configuration><seed>9</seed></configuration></execution>\
             <execution><id>default-cli</id><configuration><timeLimit>4</timeLimit></configuration></execution></executions>";
        let settings = pom(&format!(
            "<properties><randgen.seed>7</randgen.seed><randgen.timeLimit>1</randgen.timeLimit></properties>\
             <build><plugins>{}</plugins></build>",
            plugin("dev.randgen", "randgen-maven-plugin", configuration)
        ))
        .settings()
        .unwrap();
        assert_eq!(settings.target_classes, Some(vec![Glob::new("a.*"), Glob::new("b")]));
        assert_eq!(settings.seed, Some(7));
        assert_eq!(settings.time_limit.unwrap().as_secs(), 4);
        assert_eq!(settings.junit, None);
    }

    #[test]
    fn plugin_management_configuration_is_read() {
        let managed = plugin("dev.randgen", "randgen-maven-plugin", "<configuration><seed>5</seed></configuration>");
        let settings =
            pom(&format!("<build><pluginManagement><plugins>{managed}</plugins></pluginManagement></build>"))
                .settings();
        assert_eq!(settings.unwrap().seed, Some(5));
    }

    #[test]
    fn unknown_settings_are_refused() {
        let plugin = plugin("dev.randgen", "randgen-maven-plugin", "<configuration><sede>5</sede></configuration>");
        let error = pom(&format!("<build><plugins>{plugin}</plugins></build>")).settings().unwrap_err();
        assert_eq!(
            error.to_string(),
            "in the configuration of randgen-maven-plugin of module shop: unknown setting `sede`, did you mean `seed`?"
        );
    }

    #[test]
    fn the_source_level_is_that_of_the_compiler_plugin_or_the_properties() {
        let compiler = "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
             <source>1.8</source></configuration></plugin></plugins></build>";
        assert_eq!(pom(compiler).source_level(), Some(8));
        let properties = "<properties><maven.compiler.source>11</maven.compiler.source>\
             <maven.compiler.release>17</maven.compiler.release></properties>";
        assert_eq!(pom(properties).source_level(), Some(17));
        assert_eq!(pom("").source_level(), None);
    }

    #[test]
    fn the_encoding_is_that_of_the_compiler_plugin_or_the_property() {
        let property = "<properties><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>";
        let compiler = "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
             <encoding>ISO-8859-1</encoding></configuration></plugin></plugins></build>";
        assert_eq!(pom(&format!("{property}{compiler}")).source_encoding(), Some("ISO-8859-1"));
        assert_eq!(pom(property).source_encoding(), Some("UTF-8"));
        assert_eq!(pom("").source_encoding(), None);
    }
}
