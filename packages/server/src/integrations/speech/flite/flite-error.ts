/** What is known of an error of the synthesiser, without its message: that may quote the text. */
export interface FliteFault {
  readonly name: string
  readonly code: string | null
  /** Lines of its stack. */
  readonly places: readonly string[]
}

export function faultOf(error: unknown): FliteFault {
  if (!(error instanceof Error)) return { name: typeof error, code: null, places: [] }
  const { name, stack = '' } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  return { name, code, places: stack.split('\n').filter((line) => /^\s+at /.test(line)) }
}

/** An error for the log. */
export function errorOf({ name, code, places }: FliteFault): Error {
  const error = Object.assign(new Error('The built-in voices failed.'), { name, code })
  error.stack = [`${name}: ${error.message}`, ...places].join('\n')
  return error
}
