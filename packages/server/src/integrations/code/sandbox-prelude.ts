/** The name under which the customer's code appears in stacks. */
export const CODE_FILE = 'code'

/** The longest name, message and stack that leave the sandbox with an error. */
const MAX_ERROR_CHARACTERS = 2000

/**
 * Runs inside the sandbox before the customer's code, while everything built in is still as it was, and keeps hold of what it
 * needs. Its value is an object of three functions: `read` (JSON text to value), `render` (result to text) and `describe` (thrown
 * value to JSON text). The last two may run code of the customer's (getters, `toJSON`), within the limits of the run.
 */
export const PRELUDE = `(function () {
  'use strict'
  const { parse, stringify } = JSON
  const text = String
  const caller = Function.prototype.call
  const slice = caller.bind(String.prototype.slice)
  const includes = caller.bind(String.prototype.includes)
  const split = caller.bind(String.prototype.split)
  const join = caller.bind(Array.prototype.join)
  const ignore = () => {}
  globalThis.console = { log: ignore, info: ignore, warn: ignore, error: ignore, debug: ignore }

  const start = (value) => slice(text(value), 0, ${MAX_ERROR_CHARACTERS})
  const attempt = (get) => {
    try {
      const value = get()
      return value === undefined || value === null ? '' : start(value)
    } catch {
      return ''
    }
  }

  return {
    read: (source) => parse(source),
    render(value) {
      if (value === undefined || value === null) return ''
      const result = typeof value === 'string' ? value : stringify(value)
      if (result === undefined) return ''
      // A text ends at U+0000 on its way out, and databases refuse it.
      return includes(result, '\\0') ? join(split(result, '\\0'), '\\ufffd') : result
    },
    describe(thrown) {
      const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function'
      if (!isObject) return stringify({ __proto__: null, name: '', message: start(thrown), stack: '' })
      const name = attempt(() => thrown.name)
      const message = attempt(() => thrown.message)
      const stack = attempt(() => thrown.stack)
      const shown = name === '' && message === '' ? attempt(() => stringify(thrown)) : message
      return stringify({ __proto__: null, name, message: shown, stack })
    },
  }
})()`
