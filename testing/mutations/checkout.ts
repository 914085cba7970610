import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { applyChange, type Change } from './mutation.ts'

/** Folders that tests require and git ignores. */
const INSTALLED = ['node_modules', 'packages/dashboard/dist']

/** A checkout with files that can be changed. */
export interface Checkout extends Disposable {
  readonly root: string
  /** Changes a file. Returns a function that restores it. */
  applyChange(change: Change): () => void
}

/** Opens an existing checkout, which is restored after use. */
export function openCheckout(root: string): Checkout {
  const pendingUndos = new Set<() => void>()
  return {
    root,
    applyChange(change) {
      const file = path.join(root, change.file)
      const original = readFileSync(file, 'utf8')
      writeFileSync(file, applyChange(original, change))
      const undo = (): void => {
        writeFileSync(file, original)
        pendingUndos.delete(undo)
      }
      pendingUndos.add(undo)
      return undo
    },
    [Symbol.dispose]() {
      for (const undo of pendingUndos) undo()
    },
  }
}

/** Copies the files of a checkout, including uncommitted changes, to a temporary folder that is removed on disposal. */
export function copyCheckout(source: string): Checkout {
  const root = mkdtempSync(path.join(tmpdir(), 'parley-mutations-'))
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', listing, { cwd: source, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  for (const file of new Set(files.split('\0'))) {
    if (file === '' || !existsSync(path.join(source, file))) continue
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    copyFileSync(path.join(source, file), path.join(root, file))
  }
  for (const folder of INSTALLED) linkFolder(path.join(source, folder), path.join(root, folder))
  return {
    ...openCheckout(root),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Links files one by one. A link to the folder would lead workspace packages back to the original. */
function linkFolder(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    // Vite and Vitest write to their caches, so caches are not linked.
    if (entry.name.startsWith('.vite')) continue
    if (entry.isDirectory()) linkFolder(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkFile(source, target)
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    // Links fail across file systems, so the file is copied.
    copyFileSync(source, target)
  }
}
