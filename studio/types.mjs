// Writes the types of the API from docs/openapi.json: what client.ts reads of them, without words and examples.
// usage: node types.mjs [FILE]
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

const file = process.argv[2] ?? new URL('src/api/schema.d.ts', import.meta.url)
const described = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'))

// Failures are read by problem.ts alone; headers, and the parts of an address, are given by name.
for (const address of Object.values(described.paths))
  for (const operation of Object.values(address)) {
    operation.parameters = (operation.parameters ?? []).filter((each) => each.in === 'query')
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).filter(([status]) => Number(status) < 300),
    )
  }

const DROPPED = [
  /^ *\/\*\*[^]*?\*\/\n/gm, // a comment
  /^ *headers: \{[^{}]*\};\n/gm, // the headers of an answer
  /^ *(?!query)\w+\?: never;\n/gm, // a method or parameter that is not there
  /^ {8}parameters: \{[^{}]*\};\n(?= {8}(get|put|post|delete):)/gm, // those of a whole address: none
]
const made = astToString(await openapiTS(described, { alphabetize: true, defaultNonNullable: false }))
const kept = DROPPED.reduce((text, each) => text.replace(each, ''), made)
writeFileSync(file, `// Made of docs/openapi.json by types.mjs: \`npm run types\`.\n\n${kept}`)
