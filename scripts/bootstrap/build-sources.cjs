'use strict'

/** What is built, from what, and the stamp inside a build that says what it was built from. */

const fs = require('node:fs')
const path = require('node:path')
const { createHash } = require('node:crypto')
const { RUNTIME_MAJOR } = require('./runtime.cjs')

/**
 * What is built once and kept: each build lies in `dist` of its package. `sources` are the files and folders that end up in it or
 * decide what it looks like; where `marker` is missing there is the build alone, as in an image, and nothing to build from.
 */
const BUILDS = {
  dashboard: {
    name: 'the dashboard',
    package: 'dashboard',
    marker: 'packages/dashboard/index.html',
    sources: [
      'package-lock.json',
      'tsconfig.base.json',
      'packages/dashboard/index.html',
      'packages/dashboard/package.json',
      'packages/dashboard/tsconfig.json',
      'packages/dashboard/vite.config.ts',
      'packages/dashboard/public',
      'packages/dashboard/src',
      'packages/contract/src',
      'packages/sdk/src',
    ],
  },
  server: {
    name: 'the server',
    package: 'server',
    marker: 'packages/server/src/main.ts',
    sources: [
      'package-lock.json',
      'scripts/bootstrap/bundle-server.mjs',
      'packages/contract/src',
      'packages/engine/src',
      'packages/offline-model/src',
      'packages/server/src',
    ],
  },
}

/** Only tests see these; changing one is no reason to build again. */
const FOR_TESTS = /\.test\.tsx?$|-test-kit\.tsx?$|\/src\/testing\//

function distFolder(root, build) {
  return path.join(root, 'packages', build.package, 'dist')
}

function stampFile(dist) {
  return path.join(dist, '.parley-build')
}

/** Paths below the root, in a fixed order. */
function listSources(root, build) {
  return build.sources.flatMap((source) => listFiles(root, source)).filter((file) => !FOR_TESTS.test(file))
}

function listFiles(root, source) {
  let entries
  try {
    entries = fs.readdirSync(`${root}/${source}`, { withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOTDIR') return [source]
    if (error.code === 'ENOENT') return []
    throw error
  }
  return entries
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const file = `${source}/${entry.name}`
      return entry.isDirectory() ? listFiles(root, file) : [file]
    })
}

/** Stands for sizes and times of the sources: quick to make, and the same as long as nobody touches them. */
function glanceAt(root, files) {
  let seen = ''
  for (const file of files) {
    // Joined by hand: `path.join` takes as long as looking at the file.
    const stats = fs.statSync(`${root}/${file}`, { throwIfNoEntry: false })
    seen += `${file} ${stats?.size} ${stats?.mtimeMs}\n`
  }
  return createHash('sha256').update(seen).digest('hex')
}

/** Stands for the contents of the sources and the runtime: the same in every copy of them. */
function fingerprintOf(root, files) {
  const hash = createHash('sha256').update(`node-${RUNTIME_MAJOR}\n`)
  for (const file of files) {
    const content = fs.readFileSync(path.join(root, file))
    hash.update(`${file}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** The sources as they are now, in the form in which a stamp remembers them. */
function describeSources(root, build) {
  const files = listSources(root, build)
  return { glance: glanceAt(root, files), fingerprint: fingerprintOf(root, files) }
}

/** Appears complete or not at all, since other commands may be reading it. */
function writeStamp(dist, { fingerprint, glance }) {
  const incoming = `${stampFile(dist)}-${process.pid}`
  fs.writeFileSync(incoming, `${fingerprint}\n${glance}\n`)
  fs.renameSync(incoming, stampFile(dist))
}

/** Where the bundler of the server is; null where only the server's own packages are installed. */
function findBundler(root) {
  try {
    return require.resolve('rolldown', { paths: [root] })
  } catch {
    return null
  }
}

/** Whether there is a build of the sources as they are. */
function isBuilt(root, build) {
  if (!fs.existsSync(path.join(root, build.marker))) return true
  const dist = distFolder(root, build)
  let stamp
  try {
    stamp = fs.readFileSync(stampFile(dist), 'utf8')
  } catch {
    return false
  }
  const [fingerprint, glance] = stamp.split('\n')
  if (glance === glanceAt(root, listSources(root, build))) return true
  const now = describeSources(root, build)
  if (fingerprint !== now.fingerprint) return false
  try {
    // The same contents with other times, as in a copy: remembered, so that the next start need not read them all again.
    writeStamp(dist, now)
  } catch {
    // A read-only installation reads them at every start instead.
  }
  return true
}

module.exports = { BUILDS, describeSources, distFolder, findBundler, isBuilt, writeStamp }
