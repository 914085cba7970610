import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

/** A regular expression and its file and line. */
export interface SourceExpression {
  readonly location: string
  readonly pattern: string
  readonly flags: string
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the product's source files, without tests and test helpers. */
export function listProductFiles(): string[] {
  return globSync('packages/{contract,engine,server,sdk,dashboard}/src/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    (file) => !/\.test\.tsx?$|\/testing\/|-test-kit\.ts$/.test(file),
  )
}

/** Returns all regular-expression literals of a file. */
export function listExpressionLiterals(file: string): SourceExpression[] {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8')
  const expressions: SourceExpression[] = []
  const visitor = new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const line = text.slice(0, node.start).split('\n').length
      expressions.push({ location: `${file}:${line}`, pattern: node.regex.pattern, flags: node.regex.flags })
    },
  })
  visitor.visit(parseSync(file, text).program)
  return expressions
}
