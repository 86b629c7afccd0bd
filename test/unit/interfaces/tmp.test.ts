import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { clientRs } from '../../../src/core/interfaces/client-rs.ts';
import { parseDocument } from '../../../src/core/interfaces/document.ts';
test('x', () => {
  const s = JSON.parse(readFileSync('test/unit/interfaces/builders/schemars.json', 'utf8'))['0.8'];
  const { document, warnings } = parseDocument({ openrpc: '1.2.6', info: { title: 'Tasks', version: '1', description: 'Keeps tasks.\n\nAll of them.' },
    methods: [
      { name: 'add', summary: 'Adds', description: 'Adds a task.', params: [{name: 'task', required: true, description: 'the task to add', schema: {$ref:'#/components/schemas/Task'}}, {name:'type', schema:{type:['string','null']}}], result: {name:'id', description: 'the new id', schema: {type:'integer', minimum: 0}} },
      { name: 'outside', params: [], 'x-sausage-params': {$ref:'#/components/schemas/Outside'} },
      { name: 'list', params: [], result: {name: 'tasks', schema: {type:'object', required: ['items'], properties: {items: {type:'array', items: {type:'object', properties: {a: {type:'boolean'}}}}, mode: {enum: ['a-b', 'A b', 'self', '']}}}}},
    ], components: {schemas: s}, 'x-sausage-endpoints': {control: {methods: [{name:'status', params: [], result: {name:'r', schema: {type:'string'}}}]}} });
  console.log(warnings, clientRs(document, 'my-tasks'));
});
