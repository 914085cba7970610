'use strict'

/** Builds with their sources, and the stamp inside each build that identifies its sources. */

const fs = require('node:fs')
const path = require('node:path')
const { createHash } = require('node:crypto')
const { RUNTIME_MAJOR } = require('./runtime.cjs')

/**
 * Builds, each in the `dist` folder of its package. `sources` are the files and folders that the build depends on. If `marker`
 * does not exist, the installation has the build but no sources, as in the Docker image.
 */
const BUILDS = {
  dashboard: {
    name: 'dashboard',
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
    name: 'server',
    marker: 'packages/server/src/main.ts',
    sources: [
      'package-lock.json',
      'scripts/bootstrap/bundle-server.mjs',
      'packages/contract/src',
      'packages/engine/src',
      'packages/offline-model/src',
      'packages/retrieval/src',
      'packages/server/src',
    ],
  },
}

const TEST_FILE = /\.test\.tsx?$|-test-kit\.tsx?$|\/src\/testing\//

function getDistFolder(root, build) {
  return path.join(root, 'packages', build.name, 'dist')
}

function getStampFile(dist) {
  return path.join(dist, '.parley-build')
}

/** Returns the paths below the root in a fixed order, without tests. */
function listSources(root, build) {
  return build.sources.flatMap((source) => listFiles(root, source)).filter((file) => !TEST_FILE.test(file))
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
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = `${source}/${entry.name}`
      return entry.isDirectory() ? listFiles(root, file) : [file]
    })
}

/** Hashes file sizes and times. The hash is fast and does not change as long as nobody writes a source file. */
function hashStats(root, files) {
  const hash = createHash('sha256')
  for (const file of files) {
    // The path is concatenated because `path.join` takes as long as `stat`.
    const stats = fs.statSync(`${root}/${file}`, { throwIfNoEntry: false })
    hash.update(`${file} ${stats?.size} ${stats?.mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/** Hashes contents and runtime. The hash is identical in every copy of the sources. */
function hashContents(root, files) {
  const hash = createHash('sha256').update(`node-${RUNTIME_MAJOR}\n`)
  for (const file of files) {
    const content = fs.readFileSync(path.join(root, file))
    hash.update(`${file}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** Returns the stamp of the current sources. */
function readSourceStamp(root, build) {
  const files = listSources(root, build)
  return { contents: hashContents(root, files), stats: hashStats(root, files) }
}

/** Writes the stamp by renaming a file, since other commands can read the stamp at the same time. */
function writeStamp(dist, { contents, stats }) {
  const temporaryFile = `${getStampFile(dist)}-${process.pid}`
  fs.writeFileSync(temporaryFile, `${contents}\n${stats}\n`)
  fs.renameSync(temporaryFile, getStampFile(dist))
}

/** Returns the path of the server's bundler, or null if only the server's own packages are installed. */
function findBundler(root) {
  try {
    return require.resolve('rolldown', { paths: [root] })
  } catch {
    return null
  }
}

/** Whether the build matches the current sources. */
function isBuilt(root, build) {
  if (!fs.existsSync(path.join(root, build.marker))) return true
  const dist = getDistFolder(root, build)
  let stamp
  try {
    stamp = fs.readFileSync(getStampFile(dist), 'utf8')
  } catch {
    return false
  }
  const [contents, stats] = stamp.split('\n')
  if (stats === hashStats(root, listSources(root, build))) return true
  const current = readSourceStamp(root, build)
  if (contents !== current.contents) return false
  try {
    // The contents are identical but the times differ, as in a copy. An updated stamp saves the next start from reading all
    // files.
    writeStamp(dist, current)
  } catch {
    // A read-only installation reads all files on every start.
  }
  return true
}

module.exports = { BUILDS, getDistFolder, findBundler, isBuilt, readSourceStamp, writeStamp }
