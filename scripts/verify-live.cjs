'use strict'

/**
 * `npm run verify:live -- openai`: checks with the operator's own key whether a vendor's API works as Parley expects.
 * docs/guides/verify-vendors.md describes options, costs and the log.
 */

const path = require('node:path')
const { prepare, replaceProgram, root, runCommand } = require('./bootstrap.cjs')

runCommand(async () => {
  const node = await prepare('development')
  await replaceProgram(node, path.join(root, 'scripts', 'verify-live', 'main.ts'), process.argv.slice(2))
})
