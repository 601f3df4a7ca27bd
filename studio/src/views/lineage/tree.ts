/** Files as a tree of folders, or as what was found; flat rows for a list. Pure. */
export interface File {
  path: string
  editCount: number
  last: string
  createdBy: string
}

export interface FileRow<F extends File = File> {
  kind: 'file'
  key: string
  depth: number
  name: string
  file: F
}

export interface FolderRow {
  kind: 'folder'
  key: string
  depth: number
  name: string
  files: number
  edits: number
  open: boolean
}

export type Row<F extends File = File> = FileRow<F> | FolderRow

interface Folder<F> {
  path: string
  name: string
  folders: Map<string, Folder<F>>
  files: F[]
  count: number
  edits: number
}

function empty<F>(path: string, name: string): Folder<F> {
  return { path, name, folders: new Map(), files: [], count: 0, edits: 0 }
}

function grown<F extends File>(files: readonly F[]): Folder<F> {
  const root = empty<F>('', '')
  for (const file of files) {
    let folder = root
    const steps = file.path.split('/').slice(0, -1)
    for (const [at, name] of steps.entries()) {
      folder.count += 1
      folder.edits += file.editCount
      const known = folder.folders.get(name) ?? empty<F>(steps.slice(0, at + 1).join('/'), name)
      folder.folders.set(name, known)
      folder = known
    }
    folder.count += 1
    folder.edits += file.editCount
    folder.files.push(file)
  }
  return root
}

/** Rows of the tree: folders first. A folder with nothing but one folder in it is one row with it: `src/holdfast`. */
export function treeRows<F extends File>(files: readonly F[], closed: ReadonlySet<string>): Row<F>[] {
  const rows: Row<F>[] = []
  within(grown(files), 0, closed, rows)
  return rows
}

function within<F extends File>(folder: Folder<F>, depth: number, closed: ReadonlySet<string>, rows: Row<F>[]): void {
  const inside = [...folder.folders.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  for (const one of inside) {
    const { last, name } = alone(one)
    const open = !closed.has(last.path)
    rows.push({ kind: 'folder', key: `${last.path}/`, depth, name, files: last.count, edits: last.edits, open })
    if (open) within(last, depth + 1, closed, rows)
  }
  for (const file of [...folder.files].sort((one, other) => (one.path < other.path ? -1 : 1))) {
    rows.push({ kind: 'file', key: file.path, depth, name: file.path.split('/').at(-1) ?? file.path, file })
  }
}

function alone<F>(folder: Folder<F>): { last: Folder<F>; name: string } {
  let last = folder
  let name = folder.name
  while (!last.files.length && last.folders.size === 1) {
    const [only] = last.folders.values()
    if (!only) break
    last = only
    name = `${name}/${only.name}`
  }
  return { last, name }
}

/** Files whose path holds all the words; the newest change first, as the server gives them. */
export function foundRows<F extends File>(files: readonly F[], words: string): Row<F>[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return files
    .filter((file) => wanted.every((word) => file.path.toLowerCase().includes(word)))
    .map((file) => ({ kind: 'file', key: file.path, depth: 0, name: file.path, file }))
}
