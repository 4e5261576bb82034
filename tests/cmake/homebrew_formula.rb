# Reads a formula with a stand-in for Homebrew's class, as one system would, and runs its install.
# usage: ruby homebrew_formula.rb FORMULA mac|linux intel|arm
$system, $processor = ARGV[1], ARGV[2]

module OS
  def self.mac? = $system == "mac"
end

class Formula
  class << self
    %i[desc homepage license version url sha256].each do |name|
      define_method(name) { |value = nil| value ? instance_variable_set("@#{name}", value) : instance_variable_get("@#{name}") }
    end
    def depends_on(_name) = nil
    def on_macos = $system == "mac" && yield
    def on_linux = $system == "linux" && yield
    def on_intel = $processor == "intel" && yield
    def on_arm = $processor == "arm" && yield
    def test = nil
  end

  def system(*words) = puts(words.join(" "))
  def std_cmake_args = []
  def prefix = Prefix
end

module Prefix
  def self.install(files) = puts("install #{files}")
end

class Dir
  def self.[](pattern) = pattern
end

require "tempfile"
load File.expand_path(ARGV[0])
missing = %i[desc homepage license version url sha256].reject { |name| Onnxc.send(name) }
abort "no #{missing}" unless missing.empty?
puts "#{Onnxc.url} #{Onnxc.sha256}"
Onnxc.new.install
