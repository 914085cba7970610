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

/** Folders that tests need and git ignores. */
const INSTALLED = ['node_modules', 'packages/dashboard/dist']

/** A checkout whose files may be changed. */
export interface Checkout extends Disposable {
  readonly root: string
  /** Changes a file; the returned function restores it. */
  applyChange(change: Change): () => void
}

/** Works on an existing checkout, which is left as it was. */
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

/** Copies the files of a checkout, uncommitted ones included, into a temporary folder that is removed in the end. */
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

/** Links the files one by one: a link to the folder would lead the workspaces' packages back to the original. */
function linkFolder(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    // Caches of Vite and Vitest are written to.
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
    // Another file system.
    copyFileSync(source, target)
  }
}
