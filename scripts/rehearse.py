"""Deploys a synthesised environment to a running moto server and prints, as JSON, what became of each resource type.

CloudFormation makes what moto's CloudFormation knows; the rest is made through the service's own API, whose request
models (botocore) check the same properties. Usage: rehearse.py <folder of templates> <environment> <endpoint>
"""

import io
import json
import re
import sys
import warnings
import zipfile
from collections import Counter

import boto3
from botocore.validate import ParamValidator
from moto.core.common_models import CloudFormationModel
from moto.cloudformation import parsing

warnings.simplefilter("ignore")
folder, environment, endpoint = sys.argv[1:4]
region, account = "eu-west-1", "123456789012"
clients = {}


def client(name):
    clients.setdefault(name, boto3.client(
        name, region_name=region, endpoint_url=endpoint, aws_access_key_id="rehearsal", aws_secret_access_key="rehearsal"))
    return clients[name]


def known_types(cls=CloudFormationModel):
    for child in cls.__subclasses__():
        try:
            yield child.cloudformation_type()
        except NotImplementedError:
            pass
        yield from known_types(child)


# moto's CloudFormation deploys an API before its methods are all there, makes every key symmetric, and gives versions no ARN.
made_by_us = {
    "AWS::ApiGateway::Method", "AWS::ApiGateway::Deployment", "AWS::ApiGateway::Stage", "AWS::KMS::Key", "AWS::KMS::Alias",
    "AWS::Lambda::Version"}
cloudformation_types = set(known_types()) - made_by_us
physical, exports = {}, {}


def resolve(value):
    """A property with its references replaced by what was made."""
    if isinstance(value, list):
        return [resolve(item) for item in value if item != {"Ref": "AWS::NoValue"}]
    if not isinstance(value, dict):
        return value
    if set(value) == {"Ref"}:
        pseudo = {"AWS::Region": region, "AWS::AccountId": account, "AWS::Partition": "aws", "AWS::URLSuffix": "amazonaws.com"}
        return pseudo.get(value["Ref"]) or physical[value["Ref"]]["id"]
    if set(value) == {"Fn::GetAtt"}:
        logical, attribute = value["Fn::GetAtt"]
        if attribute == "RootResourceId":
            items = client("apigateway").get_resources(restApiId=physical[logical]["id"])["items"]
            return next(item["id"] for item in items if item["path"] == "/")
        if attribute == "Version":
            return physical[logical]["id"].split(":")[-1]
        return physical[logical]["arn"] if attribute.endswith("Arn") else physical[logical]["id"]
    if set(value) == {"Fn::Join"}:
        separator, parts = value["Fn::Join"]
        return separator.join(str(resolve(part)) for part in parts)
    if set(value) == {"Fn::Sub"}:
        return re.sub(r"\$\{([\w:]+)\}", lambda found: resolve({"Ref": found[1]}), value["Fn::Sub"])
    if set(value) == {"Fn::Split"}:
        separator, text = value["Fn::Split"]
        return resolve(text).split(separator)
    if set(value) == {"Fn::Select"}:
        index, items = value["Fn::Select"]
        return resolve(items)[int(index)]
    if set(value) == {"Fn::ImportValue"}:
        return exports[value["Fn::ImportValue"]]
    return {name: resolve(member) for name, member in value.items()}


def imported(value):
    """A template with the other stack's exports in place."""
    if isinstance(value, list):
        return [imported(item) for item in value]
    if isinstance(value, dict):
        return exports[value["Fn::ImportValue"]] if set(value) == {"Fn::ImportValue"} else {
            name: imported(member) for name, member in value.items()}
    return value


def camel(value):
    """CloudFormation's member names as API Gateway's and CloudWatch Logs' own APIs write them."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if isinstance(value, dict):
        return {name[0].lower() + name[1:]: camel(member) for name, member in value.items()}
    return value


def as_bytes(value):
    """AWS WAF's API takes search strings as bytes."""
    if isinstance(value, list):
        return [as_bytes(item) for item in value]
    if isinstance(value, dict):
        return {n: m.encode() if n == "SearchString" else as_bytes(m) for n, m in value.items()}
    return value


def web_acl(name, properties):
    properties.setdefault("VisibilityConfig", {})
    made = client("wafv2").create_web_acl(**as_bytes(properties))["Summary"]
    return {"id": made["Id"], "arn": made["ARN"]}


def usage_plan(name, properties):
    properties["Name"] = properties.pop("UsagePlanName")
    stages = properties.pop("ApiStages")
    plan = camel(properties)
    plan["apiStages"] = [{"apiId": s["ApiId"], "stage": s["Stage"]} for s in stages]
    return {"id": client("apigateway").create_usage_plan(**plan)["id"]}


def metric_filter(name, properties):
    logs = camel(properties)
    logs.setdefault("filterName", name)
    client("logs").put_metric_filter(**logs)
    return {"id": name}


def alarm(name, properties):
    client("cloudwatch").put_metric_alarm(**properties)
    arn = f"arn:aws:cloudwatch:{region}:{account}:alarm:{properties['AlarmName']}"
    return {"id": properties["AlarmName"], "arn": arn}


def dashboard(name, properties):
    json.loads(properties["DashboardBody"])
    client("cloudwatch").put_dashboard(**properties)
    return {"id": properties["DashboardName"]}


def topic_policy(name, properties):
    for arn in properties["Topics"]:
        document = json.dumps(properties["PolicyDocument"])
        client("sns").set_topic_attributes(TopicArn=arn, AttributeName="Policy", AttributeValue=document)
    return {"id": name}


def association(name, properties):
    client("wafv2").associate_web_acl(WebACLArn=properties["WebACLArn"], ResourceArn=properties["ResourceArn"])
    return {"id": name}


def waf_logging(name, properties):
    client("wafv2").put_logging_configuration(LoggingConfiguration=properties)
    return {"id": name}


def gateway_response(name, properties):
    api = camel({k: properties[k] for k in ("RestApiId", "ResponseType", "StatusCode")})
    client("apigateway").put_gateway_response(
        **api, responseParameters=properties["ResponseParameters"], responseTemplates=properties["ResponseTemplates"])
    return {"id": name}


def api_account(name, properties):
    client("apigateway").update_account(patchOperations=[
        {"op": "replace", "path": "/cloudwatchRoleArn", "value": properties["CloudWatchRoleArn"]}])
    return {"id": name}


def kms_key(name, properties):
    key = client("kms").create_key(
        Policy=json.dumps(properties["KeyPolicy"]), KeySpec=properties["KeySpec"],
        KeyUsage=properties["KeyUsage"], Description=properties["Description"])["KeyMetadata"]
    return {"id": key["KeyId"], "arn": key["Arn"]}


def kms_alias(name, properties):
    client("kms").create_alias(**properties)
    return {"id": properties["AliasName"]}


def authorizer(name, properties):
    made = camel({k: v for k, v in properties.items() if k != "AuthorizerResultTtlInSeconds"})
    made["authorizerResultTtlInSeconds"] = properties["AuthorizerResultTtlInSeconds"]
    return {"id": client("apigateway").create_authorizer(**made)["id"]}


def method(name, properties):
    integration = properties.pop("Integration")
    where = camel({k: properties[k] for k in ("RestApiId", "ResourceId", "HttpMethod")})
    client("apigateway").put_method(**camel(properties))
    client("apigateway").put_integration(
        **where, type=integration["Type"], uri=integration["Uri"],
        integrationHttpMethod=integration["IntegrationHttpMethod"])
    return {"id": name}


def permission(name, properties):
    client("lambda").add_permission(StatementId=name, **properties)
    return {"id": name}


def deployment(name, properties):
    return {"id": client("apigateway").create_deployment(**camel(properties))["id"]}


def stage(name, properties):
    api, stage_name = properties["RestApiId"], properties["StageName"]
    client("apigateway").create_stage(
        restApiId=api, stageName=stage_name, deploymentId=properties["DeploymentId"], tracingEnabled=properties["TracingEnabled"])
    log = properties["AccessLogSetting"]
    patches = {"/accessLogSettings/destinationArn": log["DestinationArn"], "/accessLogSettings/format": log["Format"]}
    for setting in properties["MethodSettings"]:
        place = "/*/*" if setting["HttpMethod"] == "*" else f"/{setting['ResourcePath'][1:]}/{setting['HttpMethod']}"
        patches[f"{place}/throttling/rateLimit"] = setting["ThrottlingRateLimit"]
        patches[f"{place}/throttling/burstLimit"] = setting["ThrottlingBurstLimit"]
    operations = [{"op": "replace", "path": path, "value": str(value)} for path, value in patches.items()]
    client("apigateway").update_stage(restApiId=api, stageName=stage_name, patchOperations=operations)
    return {"id": stage_name}


def log_group(name, properties):
    group = properties["LogGroupName"]
    client("logs").create_log_group(logGroupName=group)
    client("logs").put_retention_policy(logGroupName=group, retentionInDays=properties["RetentionInDays"])
    return {"id": group, "arn": f"arn:aws:logs:{region}:{account}:log-group:{group}:*"}


def schedule(name, properties):
    client("events").put_rule(Name=name, ScheduleExpression=properties["ScheduleExpression"], State=properties["State"])
    targets = [{k: v for k, v in target.items()} for target in properties["Targets"]]
    client("events").put_targets(Rule=name, Targets=targets)
    return {"id": name, "arn": f"arn:aws:events:{region}:{account}:rule/{name}"}


def queue_policy(name, properties):
    for url in properties["Queues"]:
        client("sqs").set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(properties["PolicyDocument"])})
    return {"id": name}


def event_invoke(name, properties):
    client("lambda").put_function_event_invoke_config(**properties)
    return {"id": name}


def version(name, properties):
    made = client("lambda").publish_version(FunctionName=properties["FunctionName"])
    return {"id": made["FunctionArn"], "arn": made["FunctionArn"]}


def alias(name, properties):
    arn = client("lambda").create_alias(**properties)["AliasArn"]
    return {"id": arn, "arn": arn}


def application(name, properties):
    client("codedeploy").create_application(**camel(properties))
    return {"id": properties["ApplicationName"]}


def deployment_group(name, properties):
    client("codedeploy").create_deployment_group(**camel(properties), deploymentGroupName=name)
    return {"id": name}


def function(name, properties):
    # moto counts reserved copies against an account of its own.
    kept = {member: value for member, value in properties.items() if member != "ReservedConcurrentExecutions"}
    arn = client("lambda").create_function(**kept)["FunctionArn"]
    return {"id": properties["FunctionName"], "arn": arn}


def user_pool(name, properties):
    own = {member: value for member, value in properties.items() if member not in ("UserPoolName", "EnabledMfas")}
    made = client("cognito-idp").create_user_pool(PoolName=properties["UserPoolName"], **own)["UserPool"]
    return {"id": made["Id"], "arn": made["Arn"]}


def user_pool_domain(name, properties):
    client("cognito-idp").create_user_pool_domain(**properties)
    return {"id": properties["Domain"]}


def user_pool_client(name, properties):
    return {"id": client("cognito-idp").create_user_pool_client(**properties)["UserPoolClient"]["ClientId"]}


def checked_only(service, operation):
    """For what moto does not make: the properties are checked as the service's request model asks."""
    def check(name, properties):
        shape = client(service).meta.service_model.operation_model(operation).input_shape
        wrong = ParamValidator().validate(properties, shape)
        if wrong.has_errors():
            raise ValueError(wrong.generate_report())
        return {"id": name}
    return check


by_api = {
    "AWS::Lambda::Function": function,
    "AWS::Cognito::UserPool": user_pool,
    "AWS::Cognito::UserPoolDomain": user_pool_domain,
    "AWS::Cognito::UserPoolClient": user_pool_client,
    "AWS::Cognito::ManagedLoginBranding": checked_only("cognito-idp", "CreateManagedLoginBranding"),
    "AWS::XRay::SamplingRule": checked_only("xray", "CreateSamplingRule"),
    "AWS::Lambda::Version": version,
    "AWS::Lambda::Alias": alias,
    "AWS::CodeDeploy::Application": application,
    "AWS::CodeDeploy::DeploymentGroup": deployment_group,
    "AWS::SQS::QueuePolicy": queue_policy,
    "AWS::Lambda::EventInvokeConfig": event_invoke,
    "AWS::WAFv2::WebACL": web_acl,
    "AWS::WAFv2::WebACLAssociation": association,
    "AWS::WAFv2::LoggingConfiguration": waf_logging,
    "AWS::ApiGateway::Authorizer": authorizer,
    "AWS::ApiGateway::Deployment": deployment,
    "AWS::ApiGateway::Method": method,
    "AWS::ApiGateway::Stage": stage,
    "AWS::ApiGateway::UsagePlan": usage_plan,
    "AWS::KMS::Alias": kms_alias,
    "AWS::KMS::Key": kms_key,
    "AWS::Lambda::Permission": permission,
    "AWS::ApiGateway::GatewayResponse": gateway_response,
    "AWS::ApiGateway::Account": api_account,
    "AWS::Logs::MetricFilter": metric_filter,
    "AWS::Logs::LogGroup": log_group,
    "AWS::CloudWatch::Alarm": alarm,
    "AWS::CloudWatch::Dashboard": dashboard,
    "AWS::SNS::TopicPolicy": topic_policy,
    "AWS::Events::Rule": schedule,
}

def needs(resource):
    depends = resource.get("DependsOn", [])
    return references.findall(json.dumps(resource)) + ([depends] if isinstance(depends, str) else depends)


references = re.compile(r'"(?:Ref|Fn::GetAtt)": \[?"(\w+)"')


def without_unknown(template):
    """The template that moto's CloudFormation can deploy, and what has to be made through APIs."""
    resources, rest = dict(template["Resources"]), {}
    while True:
        gone = [
            name for name, resource in resources.items()
            if resource["Type"] not in cloudformation_types
            or any(ref in rest for ref in references.findall(json.dumps(resource)))
        ]
        if not gone:
            break
        for name in gone:
            rest[name] = resources.pop(name)
    for resource in resources.values():
        depends = resource.get("DependsOn", [])
        depends = [depends] if isinstance(depends, str) else depends
        resource["DependsOn"] = [name for name in depends if name in resources]
    outputs = {
        name: output for name, output in template.get("Outputs", {}).items()
        if not any(ref in rest for ref in references.findall(json.dumps(output)))
    }
    return {**template, "Resources": resources, "Outputs": outputs}, rest


def prepare(templates):
    """What `cdk bootstrap` and the asset upload of `cdk deploy` leave behind."""
    client("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String", Overwrite=True)
    bucket = f"cdk-hnb659fds-assets-{account}-{region}"
    client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": region})
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("index.js", "exports.handler = async () => ({});")
    for template in templates:
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::Lambda::Function":
                client("s3").put_object(Bucket=bucket, Key=resource["Properties"]["Code"]["S3Key"], Body=archive.getvalue())


def arn_of(resource_type, physical_id):
    if physical_id.startswith("arn:"):
        return physical_id
    if resource_type == "AWS::IAM::Role":  # its ARN has a path
        return client("iam").get_role(RoleName=physical_id)["Role"]["Arn"]
    places = {
        "AWS::SQS::Queue": f"arn:aws:sqs:{region}:{account}:{physical_id.split('/')[-1]}",
        "AWS::Lambda::Function": f"arn:aws:lambda:{region}:{account}:function:{physical_id}",
        "AWS::Logs::LogGroup": f"arn:aws:logs:{region}:{account}:log-group:{physical_id}:*",
    }
    return places.get(resource_type, physical_id)


def deploy(name, synthesised):
    template = imported(synthesised)
    wanted = Counter(resource["Type"] for resource in template["Resources"].values())
    reduced, rest = without_unknown(template)
    report = {kind: {"type": kind, "wanted": count, "accepted": 0, "by": "-", "refusals": []} for kind, count in wanted.items()}
    cloudformation = client("cloudformation")
    cloudformation.create_stack(StackName=name, TemplateBody=json.dumps(reduced), Capabilities=["CAPABILITY_IAM"])
    stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    if stack["StackStatus"] != "CREATE_COMPLETE":
        raise SystemExit(f"{name}: {stack['StackStatus']} {stack.get('StackStatusReason', '')}")
    for output in stack.get("Outputs", []):
        if "ExportName" in output:
            exports[output["ExportName"]] = output["OutputValue"]
    own = {n: o for n, o in template.get("Outputs", {}).items() if n not in reduced["Outputs"]}
    for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=name):
        for made in page["StackResourceSummaries"]:
            kind, made_id = made["ResourceType"], made.get("PhysicalResourceId", "")
            physical[made["LogicalResourceId"]] = {"id": made_id, "arn": arn_of(kind, made_id)}
            if made["ResourceStatus"] == "CREATE_COMPLETE" and made["LogicalResourceId"] in reduced["Resources"]:
                report[kind]["accepted"] += 1
                report[kind]["by"] = "CloudFormation"
    waiting = dict(rest)
    while waiting:
        ready = [n for n, r in waiting.items() if not any(ref in waiting for ref in needs(r))]
        if not ready:
            raise SystemExit(f"{name}: circular references among {sorted(waiting)}")
        for logical in ready:
            resource = waiting.pop(logical)
            row = report[resource["Type"]]
            try:
                make = by_api[resource["Type"]]
                physical[logical] = {"arn": logical, **make(logical, resolve(resource["Properties"]))}
                row["accepted"] += 1
                row["by"] = "API" if row["by"] in ("-", "API") else "CloudFormation and API"
            except Exception as fault:  # each refusal is reported, and the rest is still tried
                physical[logical] = {"id": logical, "arn": logical}
                row["refusals"].append(f"{logical}: {type(fault).__name__}: {fault}")
    for output in own.values():
        if "Export" in output:
            exports[output["Export"]["Name"]] = resolve(output["Value"])
    return list(report.values())


names = [f"sombus-{environment}-{part}" for part in ("stateful", "bus", "portal")]
templates = [json.load(open(f"{folder}/{name}.template.json")) for name in names]
prepare(templates)
print(json.dumps({name: deploy(name, template) for name, template in zip(names, templates)}))
