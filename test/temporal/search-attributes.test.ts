import { Client, Connection } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { registeredAttributes, SEARCH_ATTRIBUTE_NAMES } from '../../temporal/search-attributes';
import { temporalPath } from '../support/temporal';

const { IndexedValueType: Type } = proto.api.enums.v1;
/** `PERMISSION_DENIED`, as Temporal Cloud answers all calls of the operator service. */
const DENIED = 7;

describe('search attributes, where the operator service is denied', () => {
  let temporal: TestWorkflowEnvironment;
  let connection: Connection;

  beforeAll(async () => {
    temporal = await TestWorkflowEnvironment.createLocal({
      server: {
        executable: { type: 'existing-path', path: await temporalPath() },
        searchAttributes: [],
      },
    });
    const { operatorService } = temporal.connection;
    await operatorService.addSearchAttributes({
      namespace: temporal.namespace ?? 'default',
      searchAttributes: { ReelayCampaign: Type.INDEXED_VALUE_TYPE_KEYWORD, ReelayFailed: Type.INDEXED_VALUE_TYPE_INT },
    });
    connection = await Connection.connect({
      address: temporal.address,
      interceptors: [
        (options, next) => {
          if (options.method_definition.path.includes('operatorservice'))
            throw Object.assign(new Error('denied'), { code: DENIED });
          return next(options) as never;
        },
      ],
    });
  });
  afterAll(async () => {
    await connection.close();
    await temporal.teardown();
  });

  it('are found by counting: those that the namespace has, whatever their type', async () => {
    await expect(connection.operatorService.listSearchAttributes({ namespace: 'default' })).rejects.toThrow('denied');
    const client = new Client({ connection, namespace: 'default' });
    expect(await registeredAttributes(client, SEARCH_ATTRIBUTE_NAMES)).toEqual(['ReelayCampaign', 'ReelayFailed']);
  });

  it('are unknown, not absent, where nothing can be counted', async () => {
    const elsewhere = new Client({ connection, namespace: 'not-there' });
    expect(await registeredAttributes(elsewhere, SEARCH_ATTRIBUTE_NAMES)).toBeNull();
  });
});
