import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { listProductFiles, ROOT, type SourceExpression } from './source-expressions.ts'

/** Modules that act when they are loaded, and browser modules. */
const EXCLUDED_MODULES = /worker|thread|\/main\.ts$|\/commands\/|packages\/(?:sdk|dashboard)\//

/** Loads the modules that build expressions, and returns the expressions built during loading. Only for separate threads. */
export async function loadDynamicExpressions(): Promise<SourceExpression[]> {
  const expressions = new Map<string, SourceExpression>()
  const Original = RegExp
  globalThis.RegExp = new Proxy(Original, {
    construct(target, constructorArguments, newTarget) {
      const expression = Reflect.construct(target, constructorArguments, newTarget) as RegExp
      const location = /packages\/[^:]+\/src\/[^:]+:\d+/.exec(new Error().stack ?? '')?.[0]
      const { source, flags } = expression
      if (location !== undefined) expressions.set(`${source}/${flags}`, { location, pattern: source, flags })
      return expression
    },
  })
  try {
    for (const file of listProductFiles().filter((name) => !EXCLUDED_MODULES.test(name))) {
      const path = `${ROOT}/${file}`
      if (readFileSync(path, 'utf8').includes('new RegExp(')) await import(pathToFileURL(path).href)
    }
  } finally {
    globalThis.RegExp = Original
  }
  return [...expressions.values()]
}
